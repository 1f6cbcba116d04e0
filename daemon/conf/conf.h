/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf: configuration files → struct conf, by one table of keys.
 *
 * Everything is read into a new struct, checked whole and only then handed over: nothing is ever
 * half applied. It must not act on what it reads, log, or leave anything behind; who asked gets
 * the words of what is wrong, with file, line, key and what is allowed. Nothing in a file is
 * trusted before it is checked. libconfig is used nowhere else.
 */
#ifndef ELECTD_CONF_CONF_H
#define ELECTD_CONF_CONF_H

#include "core/elect.h"
#include "core/trust/ring.h"
#include "core/trust/trust.h"

#include <stdio.h>

#define CONF_PATH_DEFAULT "/etc/electd/electd.conf"

enum {
	CONF_ERROR_MAX = 1024,	   /* longer texts are cut */
	CONF_FILE_MAX = 64 * 1024, /* bytes; a longer file is refused */
	CONF_DROPINS_MAX = 256,	   /* files; more are refused */
	CONF_INTERFACES_MAX = 32,  /* entries of network.interfaces; more are refused */
	CONF_INTERFACE_MAX = 127,  /* bytes of a name or pattern; of an altname in Linux */
	CONF_PATH_MAX = 1023,	   /* characters of a path in a value */
	CONF_WORD_MAX = 31,	   /* characters of a word or address of IPv4 */
	CONF_ADDRESS_MAX = 45,	   /* of one of any family */
	CONF_PEER_MAX = 56,	   /* bytes of an address with a port, as text */
	CONF_UNICAST_PORTS_MAX = 1024,
	CONF_CRASH_WAIT_MS = 25000, /* longer ones ask for more in the unit: TimeoutStopSec= */
	CONF_ALLOWED_MAX = 192,	    /* bytes of the words that say what a key may be */
};

/*
 * Words for a person, without control characters, without a newline. Empty when all is well. The
 * rest says the same to programs, as far as it is known: else it is empty or 0.
 */
struct conf_error {
	char text[CONF_ERROR_MAX];
	char file[CONF_PATH_MAX + 1];
	unsigned line;
	char key[64];
	char allowed[CONF_ERROR_MAX / 2];
};

/* Names or fnmatch(3) patterns; count 0: the interfaces are chosen by themselves. */
struct conf_interfaces {
	unsigned count;
	char names[CONF_INTERFACES_MAX][CONF_INTERFACE_MAX + 1];
};

/* Of things that are reported: elect_name_valid(), none twice. */
struct conf_names {
	unsigned count;
	char names[ELECT_REPORTS_MAX][ELECT_NAME_MAX + 1];
};

struct conf_peers {
	unsigned count;
	struct elect_address list[ELECT_PEERS_MAX]; /* port 0: not given */
};

struct conf_ports {
	uint16_t first, last; /* both included */
};

enum conf_type {
	CONF_BOOLEAN,
	CONF_INTEGER,	 /* min .. max */
	CONF_NAME,	 /* elect_name_valid() */
	CONF_ID,	 /* 32 hex digits, not all zero */
	CONF_ADDRESS,	 /* where others can reach a host */
	CONF_CHOICE,	 /* a word of `words` */
	CONF_GROUP4,	 /* IPv4 multicast address */
	CONF_GROUP6,	 /* the same of IPv6 */
	CONF_PORTS,	 /* "FIRST-LAST" */
	CONF_INTERFACES, /* list of names or patterns */
	CONF_NAMES,	 /* list of names, each elect_name_valid() */
	CONF_PEERS,	 /* list of addresses of hosts, each with or without a port */
	CONF_PATH,	 /* of a file */
	CONF_FILE,	 /* the same, absolute */
	CONF_TYPES
};

/* What stands in struct conf of a key of each type. */
typedef bool CONF_BOOLEAN_VALUE;
typedef uint32_t CONF_INTEGER_VALUE;
typedef char CONF_NAME_VALUE[ELECT_NAME_MAX + 1];
typedef char CONF_ID_VALUE[32 + 1];
typedef char CONF_ADDRESS_VALUE[CONF_ADDRESS_MAX + 1];
typedef char CONF_CHOICE_VALUE[CONF_WORD_MAX + 1];
typedef char CONF_GROUP4_VALUE[CONF_WORD_MAX + 1];
typedef char CONF_GROUP6_VALUE[CONF_ADDRESS_MAX + 1];
typedef struct conf_ports CONF_PORTS_VALUE;
typedef struct conf_interfaces CONF_INTERFACES_VALUE;
typedef struct conf_names CONF_NAMES_VALUE;
typedef struct conf_peers CONF_PEERS_VALUE;
typedef char CONF_PATH_VALUE[CONF_PATH_MAX + 1];
typedef char CONF_FILE_VALUE[CONF_PATH_MAX + 1];

struct conf {
	/* What the files say, else the defaults: one member a key, of the type above. */
#define KEY(path, type, member, ...) type##_VALUE member;
#include "keys.h"

	/* Worked out from them. */
	struct elect_config elect; /* its id is zero unless id_set */
	uint16_t definition_size;
	uint8_t definition[ELECT_DEFINITION_MAX]; /* what stands in definition.file */
	bool id_set;				  /* node.id is given */
	struct elect_address address;		  /* node.address; family 0: not given */
	struct elect_address group4, group6;	  /* with the port */
	bool ipv4, ipv6;			  /* network.family */
	enum ring_mode mode;			  /* auth.mode */
	uint64_t set;				  /* bit i: key i of the table stands in a file */
	bool keys_named;			  /* auth.keys does: that file must be there */
	char keys_place[CONF_PATH_MAX + 16];	  /* and where: "FILE:LINE: " */
	bool defaults_only; /* no file was found: built-in defaults, worth a notice */
	bool name_set;	    /* node.name is given: the host name is not followed */
	bool name_replaced; /* the host name was no valid node.name */
};

/*
 * Reads `path` and the *.conf of its drop-in folder ("electd.conf" → "electd.conf.d/"), in name
 * order, later values win. NULL: CONF_PATH_DEFAULT, which may be missing. Where no file says
 * `domain`, "web.conf" makes it "web", "electd.conf" and other names "default". 0, or -errno with
 * ret_error filled: -EINVAL for what a file says, else what the system said.
 * ret_conf is changed only on success. The file that definition.file names is read too.
 */
int conf_load(const char *path, struct conf *ret_conf, struct conf_error *ret_error);

/*
 * conf_load() for a program that acts on it as root. The file that definition.file names is not
 * read. -EPERM: somebody else than root and the caller may change one of the files, or put another
 * one in its place.
 */
int conf_load_guarded(const char *path, struct conf *ret_conf, struct conf_error *ret_error);

/* The same from one text, called `name` in errors; for tests and fuzzers. Reads no other file. */
int conf_parse(const char *name, const char *text, size_t size, struct conf *ret_conf,
	struct conf_error *ret_error);

/*
 * Every key with its value, as a file conf_load() reads. What stands in no file is a comment, for
 * a default may depend on what others are set to.
 */
void conf_print(FILE *out, const struct conf *conf);

/*
 * The keys of a start: auth.keys, a relative one in $CREDENTIALS_DIRECTORY, without that in
 * KEYFILE_CREDSTORE, read as keyfile_read() does. Of a credential the file it was copied from is
 * looked at too, where it can be found: one that others can read is refused. None: there is no file
 * and none was named, which auth.mode "enforce" refuses (-ENOKEY). 0, or -errno with ret_error. The
 * caller locks the page of `ret` before and wipes it after.
 */
int conf_load_keys(const struct conf *conf, struct ring_file *ret, struct conf_error *ret_error);

/* ---- the table, for the manual page, --print-config and tests ------------------------------- */

/* What another value asks for in a running daemon. */
enum conf_effect {
	CONF_AT_ONCE,
	CONF_SOCKETS, /* sockets are opened anew */
	CONF_RESTART,
};

struct conf_key {
	const char *path; /* "network.port" */
	enum conf_type type;
	int64_t min, max;     /* CONF_INTEGER */
	const char *words;    /* CONF_CHOICE: those there are */
	const char *instead;  /* what to do instead of another one: behind those, or NULL */
	const char *fallback; /* default as text; words in parentheses: computed */
	size_t offset;	      /* in struct conf */
	size_t size;	      /* there */
	enum conf_effect effect;
	bool obsolete;	  /* read, reported, and without effect */
	const char *help; /* one line */
};

const struct conf_key *conf_keys(size_t *ret_count);
/* What a key may be: "an integer, 1 to 65535", "\"ipv4\"". */
void conf_allowed(const struct conf_key *key, char *text, size_t size);

#endif
