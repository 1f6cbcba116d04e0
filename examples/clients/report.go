// Prints a line every 100 ms while this host leads. Speaks to electd itself: electd-varlink(7).
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
	"unsafe"
)

type reply struct {
	Error      string
	Parameters struct {
		Event, Holder, Token string
		Release              uint64
		Until                int64  `json:"until_boot_ms"` // 0: this host does not lead
		Clock                uint64 `json:"time_namespace"`
		Status               *struct {
			Role     string
			Asking   bool
			Yielding *struct{}
		}
	}
}

func bootMs() int64 {
	var t syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 7, uintptr(unsafe.Pointer(&t)), 0) // CLOCK_BOOTTIME
	return t.Nano() / 1e6
}

func ask(method string, more bool, parameters map[string]any) (net.Conn, error) {
	electd, err := net.Dial("unix", "/run/electd/io.electd")
	if err != nil {
		return nil, err
	}
	call, _ := json.Marshal(map[string]any{
		"method": "io.electd." + method, "more": more, "parameters": parameters})
	_, err = electd.Write(append(call, 0))
	return electd, err
}

// The work has ended. A frozen electd reads the call later; one with too many clients refuses it.
func release(holder string, seq uint64) {
	answer := make([]byte, 4096)
	for tries := 0; tries < 100; tries++ {
		electd, err := ask("Release", false, map[string]any{"holder": holder, "seq": seq})
		if err == nil {
			electd.SetReadDeadline(time.Now().Add(time.Second))
			n, _ := electd.Read(answer)
			electd.Close()
			if !bytes.Contains(answer[:n], []byte("TooManyClients")) {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Follows one electd until its connection ends.
func follow(electd net.Conn, clock uint64, host string, stop chan os.Signal) {
	var holder, token string
	var leads, over bool // over: electd has asked for the release of this token
	var until int64
	var rest []byte
	piece := make([]byte, 65536)
	for next := time.Now(); ; {
		due := len(stop) > 0 || time.Until(next) <= 0
		if due { // what waits is read before each act
			electd.SetReadDeadline(time.Now().Add(time.Millisecond))
		} else {
			electd.SetReadDeadline(next)
		}
		n, err := electd.Read(piece)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			if len(stop) > 0 {
				release(holder, 0)
				os.Exit(0)
			} else if due {
				next = time.Now().Add(100 * time.Millisecond)
				if now := bootMs(); leads && !over && now < until {
					fmt.Printf("%s %s %d.%03d\n", host, token, now/1000, now%1000)
				}
			}
			continue
		} else if err != nil {
			return
		}
		rest = append(rest, piece[:n]...)
		for end := bytes.IndexByte(rest, 0); end >= 0; end = bytes.IndexByte(rest, 0) {
			var r reply
			if err := json.Unmarshal(rest[:end], &r); err != nil || r.Error != "" {
				fmt.Fprintln(os.Stderr, "report:", r.Error, err)
				os.Exit(1)
			}
			rest = rest[end+1:]
			event, status := r.Parameters, r.Parameters.Status
			if event.Holder != "" {
				holder = event.Holder
			}
			until = event.Until
			if event.Clock != clock { // electd's times mean nothing here
				until = 0
			}
			if status != nil {
				over = over && status.Role == "leader" && event.Token == token
				may := status.Role == "leader" && !status.Asking && status.Yielding == nil
				if may && !leads {
					next = time.Now()
				}
				leads, token = may, event.Token
			}
			if event.Release > 0 && event.Event != "release-over" {
				over = true // no work runs between two lines
				release(holder, event.Release)
			}
		}
	}
}

func main() {
	var own syscall.Stat_t
	syscall.Stat("/proc/self/ns/time", &own)
	host, _ := os.Hostname()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	for len(stop) == 0 {
		electd, err := ask("Subscribe", true, map[string]any{"hold": true, "name": "report"})
		if err == nil {
			follow(electd, own.Ino, host, stop)
		}
		if electd != nil {
			electd.Close()
		}
		time.Sleep(200 * time.Millisecond)
	}
}
