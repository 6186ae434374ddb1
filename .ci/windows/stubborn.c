/* An engine that outlives the end of its input: only a kill ends it. */
#include <stdio.h>
#include <string.h>
#include <windows.h>

int main(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "uci\n", 4)) puts("id name Stubborn\nuciok");
        if (!strncmp(line, "isready", 7)) puts("readyok");
        fflush(stdout);
    }
    Sleep(INFINITE);
}
