/* json_parts.c - texts and dotted names in JSON. */
#include "run/json_parts.h"

#include <stdio.h>
#include <string.h>

json_t *json_text(const char *s)
{
    json_t *j = json_string(s);
    if (j) return j;
    char copy[1024];
    snprintf(copy, sizeof copy, "%s", s);
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p >= 0x80) *p = '?';
    return json_string(copy);
}

int json_set_nested(json_t *object, const char *key, json_t *value)
{
    const char *dot = strchr(key, '.');
    if (!dot) return json_object_set_new(object, key, value);
    char outer[64];
    snprintf(outer, sizeof outer, "%.*s", (int)(dot - key), key);
    json_t *inner = json_object_get(object, outer);
    if (!inner) {
        inner = json_object();
        if (json_object_set_new(object, outer, inner)) return json_decref(value), -1;
    }
    return json_set_nested(inner, dot + 1, value);
}
