import socket, time, electd

while True:
    with electd.lead("report") as lead:     # waits until this host leads
        while lead:                         # False: lost, silent, or asked to hand over
            now = time.clock_gettime(time.CLOCK_BOOTTIME)
            print(socket.gethostname(), lead.token, f"{now:.6f}", flush=True)
            lead.wait(0.1)                  # ends early if this host may lead no more
