/* What the TLS probes hand to the loader: a head, then `size` bytes of plaintext. */
#ifndef AGENTSIGHT_TLS_EVENTS_H
#define AGENTSIGHT_TLS_EVENTS_H

#define TLS_SENT 0u
#define TLS_RECEIVED 1u
#define TLS_FREED 2u

#define TLS_PIECE 16384u /* bytes in one piece: the size of a TLS record */
#define TLS_PIECES 64 /* pieces of one call; what lies beyond 1 MB of one call is not taken */

struct tls_head {
	unsigned long long t, start, ssl;
	unsigned int pid, exec, dir;
	unsigned int size; /* bytes that follow; 0 in a piece that could not be read */
	unsigned long long len, at; /* bytes of the whole call, and where this piece begins in them */
};

#endif
