#include "mem/port.h"

#include <stdlib.h>

int port_init(struct port *p, uint32_t capacity, const struct part *producer, const struct part *consumer)
{
    uint32_t size = 1;
    while (size < capacity) size *= 2;
    *p = (struct port){.mask = size - 1, .capacity = capacity, .freed_at = NEVER, .producer = producer,
                       .consumer = consumer};
    p->slot = calloc(size, sizeof *p->slot);
    return p->slot ? 0 : -1;
}

void port_destroy(struct port *p) { free(p->slot); }
