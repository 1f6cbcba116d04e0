/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf: reads the configuration files into struct conf, by one table of keys.
 *
 * A new struct is filled and checked as a whole before it is handed over, so nothing is ever
 * applied in part. This module must not act on what it reads, log, or keep anything. The caller
 * gets the error message, with file, line, key and allowed values. Nothing in a file is trusted
 * before it is checked. libconfig is used only here.
 */
#ifndef ELECTD_CONF_CONF_H
#define ELECTD_CONF_CONF_H

#include "core/elect.h"
#include "core/trust/ring.h"
#include "core/trust/trust.h"

#include <stdio.h>

#define CONF_PATH_DEFAULT "/etc/electd/electd.conf"

enum {
	CONF_ERROR_MAX = 1024,	   /* longer messages are cut */
	CONF_FILE_MAX = 64 * 1024, /* bytes; a longer file is refused */
	CONF_DROPINS_MAX = 256,	   /* files; more are refused */
	CONF_INTERFACES_MAX = 32,  /* entries of network.interfaces; more are refused */
	CONF_INTERFACE_MAX = 127,  /* bytes of a name or pattern, as of an altname in Linux */
	CONF_PATH_MAX = 1023,	   /* characters of a path in a value */
	CONF_WORD_MAX = 31,	   /* characters of a word or of an IPv4 address */
	CONF_ADDRESS_MAX = 45,	   /* characters of an address of any family */
	CONF_PEER_MAX = 56,	   /* bytes of an address with a port, as text */
	CONF_UNICAST_PORTS_MAX = 1024,
	CONF_OWNED_MAX = 32, /* entries of `addresses`; more are refused */
	CONF_OWNED_TEXT_MAX = CONF_ADDRESS_MAX + 4 + 5 + CONF_INTERFACE_MAX,
	CONF_CRASH_WAIT_MS = 25000, /* above this, the unit needs a longer TimeoutStopSec= */
	CONF_ALLOWED_MAX = 192,	    /* bytes of the description of allowed values */
};

/*
 * A message for a user, without control characters and newlines; empty if there is no error. The
 * other members give the same to programs, and are empty or 0 if unknown.
 */
struct conf_error {
	char text[CONF_ERROR_MAX];
	char file[CONF_PATH_MAX + 1];
	unsigned line;
	char key[64];
	char allowed[CONF_ERROR_MAX / 2];
};

/* Names or fnmatch(3) patterns; count 0: electd chooses the interfaces itself. */
struct conf_interfaces {
	unsigned count;
	char names[CONF_INTERFACES_MAX][CONF_INTERFACE_MAX + 1];
};

/* Names of reports about health: elect_name_valid(), none twice. */
struct conf_names {
	unsigned count;
	char names[ELECT_REPORTS_MAX][ELECT_NAME_MAX + 1];
};

struct conf_peers {
	unsigned count;
	struct elect_address list[ELECT_PEERS_MAX]; /* port 0: not given */
};

/* An address that the leader has. */
struct conf_owned_address {
	struct elect_address address;		/* port 0 */
	uint8_t prefix;				/* helps to choose the interface; 0: not given */
	char interface[CONF_INTERFACE_MAX + 1]; /* empty: not given */
};

/* None twice. */
struct conf_owned {
	unsigned count;
	struct conf_owned_address list[CONF_OWNED_MAX];
};

struct conf_ports {
	uint16_t first, last; /* both included */
};

enum conf_type {
	CONF_BOOLEAN,
	CONF_INTEGER,	 /* min .. max */
	CONF_NAME,	 /* elect_name_valid() */
	CONF_ID,	 /* 32 hex digits, not all zero */
	CONF_ADDRESS,	 /* an address at which others can reach a host */
	CONF_CHOICE,	 /* one of `words` */
	CONF_GROUP4,	 /* IPv4 multicast address */
	CONF_GROUP6,	 /* IPv6 multicast address */
	CONF_PORTS,	 /* "FIRST-LAST" */
	CONF_INTERFACES, /* list of names or patterns */
	CONF_INTERFACE,	 /* name of one interface */
	CONF_NAMES,	 /* list of names, each elect_name_valid() */
	CONF_PEERS,	 /* list of addresses of hosts, each with or without a port */
	CONF_OWNED,	 /* list of addresses that the leader has */
	CONF_PATH,	 /* path of a file */
	CONF_FILE,	 /* absolute path of a file */
	CONF_TYPES
};

/* The type in struct conf of a key of each conf_type. */
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
typedef char CONF_INTERFACE_VALUE[CONF_INTERFACE_MAX + 1];
typedef struct conf_names CONF_NAMES_VALUE;
typedef struct conf_peers CONF_PEERS_VALUE;
typedef struct conf_owned CONF_OWNED_VALUE;
typedef char CONF_PATH_VALUE[CONF_PATH_MAX + 1];
typedef char CONF_FILE_VALUE[CONF_PATH_MAX + 1];

struct conf {
	/* The values of the files, else the defaults: a member for each key, of the type above. */
#define KEY(path, type, member, ...) type##_VALUE member;
#include "keys.h"

	/* Derived from them. */
	struct elect_config elect; /* its id is zero unless id_set */
	uint16_t definition_size;
	uint8_t definition[ELECT_DEFINITION_MAX]; /* content of definition.file */
	bool id_set;				  /* node.id is given */
	struct elect_address address;		  /* node.address; family 0: not given */
	struct elect_address group4, group6;	  /* with the port */
	bool ipv4, ipv6;			  /* network.family */
	enum ring_mode mode;			  /* auth.mode */
	uint64_t set;				  /* bit i: key i of the table stands in a file */
	bool keys_named;			  /* auth.keys is set, so the file must exist */
	char keys_place[CONF_PATH_MAX + 16];	  /* place of auth.keys: "FILE:LINE: " */
	bool defaults_only;			  /* no file was found; worth a notice */
	bool name_set;	    /* node.name is given: the host name is not followed */
	bool name_replaced; /* the host name was not a valid node.name */
};

/*
 * Reads `path` and the *.conf files of its drop-in folder ("electd.conf" → "electd.conf.d/") in the
 * order of their names; later values win. NULL: CONF_PATH_DEFAULT, which may be missing. If no file
 * sets `domain`, it is "web" for "web.conf", and "default" for "electd.conf" and other names. Also
 * reads the file that definition.file names. Returns 0, or -errno with ret_error filled: -EINVAL
 * for the content of a file, else the error of the system. Changes ret_conf only on success.
 */
int conf_load(const char *path, struct conf *ret_conf, struct conf_error *ret_error);

/*
 * conf_load() for a program that acts on the result as root. Does not read the file that
 * definition.file names. -EPERM: a user other than root and the caller may change one of the files,
 * or replace it.
 */
int conf_load_guarded(const char *path, struct conf *ret_conf, struct conf_error *ret_error);

/* conf_load() for one text, called `name` in errors; for tests and fuzzers. Reads no other file. */
int conf_parse(const char *name, const char *text, size_t size, struct conf *ret_conf,
	struct conf_error *ret_error);

/*
 * Prints every key with its value, in a form that conf_load() reads. A key that no file sets is a
 * comment, because its default may depend on other keys.
 */
void conf_print(FILE *out, const struct conf *conf);

/* Writes an entry of `addresses` as a file has it: "192.0.2.100/24 dev br0". */
void conf_owned_text(const struct conf_owned_address *address, char *text, size_t size);

/*
 * Reads the key file for a start: auth.keys, and if that is relative, below $CREDENTIALS_DIRECTORY,
 * or below KEYFILE_CREDSTORE without that variable. It is checked as by keyfile_read(). If the file
 * from which a credential was copied can be found, it is checked too, and refused if others can
 * read it. Count 0: there is no file and none was named, which auth.mode "enforce" refuses
 * (-ENOKEY). Returns 0, or -errno with ret_error. `ret` is in memory that the caller guards and
 * wipes.
 */
int conf_load_keys(const struct conf *conf, struct ring_file *ret, struct conf_error *ret_error);

/* ---- the table, for the manual page, --print-config and tests ------------------------------- */

/* How a running daemon takes a new value. */
enum conf_effect {
	CONF_AT_ONCE,
	CONF_SOCKETS, /* sockets are opened anew */
	CONF_RESTART,
	CONF_RELOAD, /* electd-address takes it, with `systemctl reload electd` */
};

struct conf_key {
	const char *path; /* "network.port" */
	enum conf_type type;
	int64_t min, max;     /* CONF_INTEGER */
	const char *words;    /* CONF_CHOICE: allowed words */
	const char *instead;  /* advice after the allowed words, or NULL */
	const char *fallback; /* default as text; in parentheses: computed */
	size_t offset;	      /* of the member in struct conf */
	size_t size;	      /* of the member */
	enum conf_effect effect;
	bool obsolete;	  /* read and reported, without effect */
	const char *help; /* one line */
};

const struct conf_key *conf_keys(size_t *ret_count);
/* Describes the allowed values: "an integer, 1 to 65535", "\"ipv4\"". */
void conf_allowed(const struct conf_key *key, char *text, size_t size);

#endif
