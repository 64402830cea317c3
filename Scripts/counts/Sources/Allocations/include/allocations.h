/// How often this process has called malloc, calloc, realloc and their kin so far, in all threads; -1 where that is not counted.
long allocations(void);
