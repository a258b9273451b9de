// The server's end of measured TCP connections.
#pragma once

/// Prints its port, serves until its stdin ends, and returns an exit code. Fails by exit(3).
int flow_serve(void);
