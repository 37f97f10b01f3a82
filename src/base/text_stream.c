#include "base/text_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static bool grow(struct text_stream *s, size_t need)
{
    size_t room = s->room ? s->room : 1024;
    while (room < need) room *= 2;
    char *grown = room > s->room ? memory_grow(s->text, room) : s->text;
    if (!grown) return false;
    s->text = grown;
    s->room = room;
    return true;
}

static ssize_t put(void *cookie, const char *bytes, size_t n)
{
    struct text_stream *s = cookie;
    if (s->bad || !grow(s, s->size + n + 1)) {
        s->bad = true;
        return 0;
    }
    memcpy(s->text + s->size, bytes, n);
    s->size += n;
    return (ssize_t)n;
}

FILE *text_stream_open(struct text_stream *s)
{
    *s = (struct text_stream){0};
    if (!grow(s, 1)) return NULL;
    s->file = fopencookie(s, "w", (cookie_io_functions_t){.write = put});
    if (s->file) return s->file;
    memory_note();
    free(s->text);
    s->text = NULL;
    return NULL;
}

char *text_stream_close(struct text_stream *s)
{
    if (!s->file) return NULL;
    bool lost = ferror(s->file) != 0;
    lost |= fclose(s->file) != 0;
    s->file = NULL;
    if (lost || s->bad) {
        memory_note();
        free(s->text);
        return s->text = NULL;
    }
    s->text[s->size] = 0;
    return s->text;
}
