/* table_write.c - a table as text, CSV and HTML. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "experiment/table.h"

void put_html(FILE *out, const char *s)
{
    for (; *s; s++) switch (*s) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(*s, out);
        }
}

/* Three decimals near 1, none from 1000 on; a dash for a number that is not known. */
static const char *shown(double v, char out[32])
{
    double a = fabs(v);
    if (isnan(v)) snprintf(out, 32, "-");
    else if (a >= 1000) snprintf(out, 32, "%.0f", v);
    else if (a >= 100) snprintf(out, 32, "%.1f", v);
    else if (a != 0 && a < 0.001) snprintf(out, 32, "%.2e", v);
    else snprintf(out, 32, "%.3f", v);
    return out;
}

static int text_width(const char *s) /* in characters: continuation bytes of UTF-8 have no width */
{
    int n = 0;
    for (; *s; s++) n += (*s & 0xc0) != 0x80;
    return n;
}

static void pad(FILE *out, const char *s, int width, bool right)
{
    int gap = width - text_width(s);
    if (right) fprintf(out, "%*s%s", gap > 0 ? gap : 0, "", s);
    else fprintf(out, "%s%*s", s, gap > 0 ? gap : 0, "");
}

static bool same_as_above(const struct table *t, unsigned row, unsigned label)
{
    for (unsigned l = 0; l <= label; l++)
        if (row == 0 || strcmp(t->row[row].label[l], t->row[row - 1].label[l]) != 0) return false;
    return label + 1 < t->labels;
}

static int column_width(const struct table *t, unsigned column)
{
    int width = text_width(t->column[column]);
    return width > 8 ? width : 8;
}

static void text_row(const struct table *t, unsigned i, const int *left, FILE *out)
{
    const struct table_row *r = &t->row[i];
    char number[32];
    for (unsigned l = 0; l < t->labels; l++) {
        pad(out, same_as_above(t, i, l) ? "" : r->label[l], left[l], false);
        fputs("  ", out);
    }
    for (unsigned c = 0; c < t->columns; c++) {
        pad(out, shown(r->value[c], number), column_width(t, c), true);
        fputs(c + 1 < t->columns ? "  " : "\n", out);
    }
}

void table_text(const struct table *t, unsigned most, FILE *out)
{
    int left[TABLE_LABELS];
    for (unsigned l = 0; l < t->labels; l++) {
        left[l] = text_width(t->head[l]);
        for (unsigned i = 0; i < t->rows; i++)
            if (text_width(t->row[i].label[l]) > left[l]) left[l] = text_width(t->row[i].label[l]);
    }
    fprintf(out, "%s.%s  %s\n", t->x->name, t->figure->id, t->figure->title);
    for (unsigned l = 0; l < t->labels; l++) pad(out, t->head[l], left[l] + 2, false);
    for (unsigned c = 0; c < t->columns; c++) {
        pad(out, t->column[c], column_width(t, c), true);
        fputs(c + 1 < t->columns ? "  " : "\n", out);
    }
    for (unsigned i = 0; i < t->rows && (!most || i < most); i++) text_row(t, i, left, out);
    if (most && t->rows > most) fprintf(out, "... %u more rows in the CSV\n", t->rows - most);
}

void table_csv(const struct table *t, FILE *out)
{
    for (unsigned l = 0; l < t->labels; l++) {
        put_csv(out, t->head[l]);
        fputc(',', out);
    }
    for (unsigned c = 0; c < t->columns; c++) {
        put_csv(out, t->column[c]);
        if (c + 1 < t->columns) fputc(',', out);
    }
    for (unsigned c = 0; t->figure->nseeds && c < t->columns; c++)
        for (unsigned k = 0; k < 2; k++) {
            char head[256];
            snprintf(head, sizeof head, "%.200s %s", t->column[c], k ? "highest" : "lowest");
            fputc(',', out);
            put_csv(out, head);
        }
    fputc('\n', out);
    for (unsigned i = 0; i < t->rows; i++) {
        for (unsigned l = 0; l < t->labels; l++) {
            put_csv(out, t->row[i].label[l]);
            fputc(',', out);
        }
        for (unsigned c = 0; c < t->columns; c++) { /* an empty field: not known */
            if (!isnan(t->row[i].value[c])) fprintf(out, "%.6g", t->row[i].value[c]);
            if (c + 1 < t->columns) fputc(',', out);
        }
        for (unsigned c = 0; t->figure->nseeds && c < t->columns; c++)
            fprintf(out, ",%.6g,%.6g", t->row[i].low[c], t->row[i].high[c]);
        fputc('\n', out);
    }
}

static void html_row(const struct table *t, const struct table_row *r, FILE *out)
{
    char number[32];
    fprintf(out, "<tr%s>", r->mean ? " class=mean" : "");
    for (unsigned l = 0; l < t->labels; l++) {
        fputs("<th scope=row>", out);
        put_html(out, r->label[l]);
        fputs("</th>", out);
    }
    for (unsigned c = 0; c < t->columns; c++) {
        fprintf(out, "<td>%s", shown(r->value[c], number));
        if (r->stated && r->stated[c]) {
            fputs("<small class=paper>", out);
            put_html(out, r->stated[c]->value_text);
            fputs("</small>", out);
        }
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

void table_html(const struct table *t, FILE *out)
{
    fputs("<table class=numbers><thead><tr>", out);
    for (unsigned l = 0; l < t->labels; l++) {
        fputs("<th>", out);
        put_html(out, t->head[l]);
        fputs("</th>", out);
    }
    for (unsigned c = 0; c < t->columns; c++) {
        fputs("<th class=n>", out);
        put_html(out, t->column[c]);
        fputs("</th>", out);
    }
    fputs("</tr></thead><tbody>\n", out);
    for (unsigned i = 0; i < t->rows; i++) html_row(t, &t->row[i], out);
    fputs("</tbody></table>\n", out);
}
