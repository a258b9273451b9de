// What floor shows of the host, in two sizes.
#pragma once

// The root that sbx composes by default: /usr and what is needed of /etc, six devices with
// pseudo-terminals, parts of /proc hidden, the current folder at /workspace.
void enter_composed_root(void);
// All of the host, read-only, with a /tmp, a /dev of five devices and a /proc of its own: one
// recursive copy, the cheapest root there is.
void enter_bare_root(void);
