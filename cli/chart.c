/* chart.c - see chart.h. Coordinates of SVG grow downwards; everything else here grows upwards. */
#include "cli/chart.h"

#include <math.h>
#include <string.h>

void html_text(FILE *out, const char *s)
{
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '&') fputs("&amp;", out);
        else if (c == '<') fputs("&lt;", out);
        else if (c == '>') fputs("&gt;", out);
        else if (c == '"') fputs("&quot;", out);
        else fputc(c < ' ' ? ' ' : c, out);
    }
}

static double part(double v, double from, double to, bool logarithmic)
{
    if (!logarithmic) return to > from ? (v - from) / (to - from) : 0;
    return (log10(v > from ? v : from) - log10(from)) / (log10(to) - log10(from));
}

double chart_x(const struct drawing *c, double v)
{
    return c->left + part(v, c->x0, c->x1, c->log_x) * (c->width - c->left - c->right);
}

double chart_y(const struct drawing *c, double v)
{
    return c->height - c->bottom - part(v, c->y0, c->y1, c->log_y) * (c->height - c->top - c->bottom);
}

void chart_text(const struct drawing *c, double px, double py, const char *anchor, const char *text)
{
    fprintf(c->out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", px, py, anchor);
    html_text(c->out, text);
    fputs("</text>\n", c->out);
}

void chart_begin(const struct drawing *c, const char *title)
{
    fprintf(c->out, "<figure><figcaption>");
    html_text(c->out, title);
    fprintf(c->out, "</figcaption>\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", c->width, c->height);
    html_text(c->out, title);
    fputs("\">\n", c->out);
}

void chart_end(const struct drawing *c) { fputs("</svg></figure>\n", c->out); }

/* "250", "12.5k", "3M" */
static void short_number(double v, char *out, size_t size)
{
    static const struct {
        double unit;
        const char *letter;
    } units[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    unsigned i = 0;
    while (i < 3 && fabs(v) < units[i].unit) i++;
    snprintf(out, size, "%g%s", round(v / units[i].unit * 1000) / 1000, units[i].letter);
}

/* 1, 2 or 5 times a power of ten: the distance of about `count` ticks. */
static double tick_step(double range, unsigned count)
{
    if (range <= 0) return 1;
    double step = range / count, power = pow(10, floor(log10(step))), rest = step / power;
    return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}

static void x_tick(const struct drawing *c, double v)
{
    char text[32];
    double x = chart_x(c, v), base = c->height - c->bottom;
    short_number(v, text, sizeof text);
    fprintf(c->out, "<line class=\"tick\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x, x, base, base + 4);
    chart_text(c, x, base + 16, "middle", text);
}

static void y_tick(const struct drawing *c, double v)
{
    char text[32];
    double y = chart_y(c, v);
    short_number(c->percent_y ? v * 100 : v, text, sizeof text - 2);
    if (c->percent_y) strcat(text, " %");
    fprintf(c->out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", c->left,
            c->width - c->right, y, y);
    chart_text(c, c->left - 6, y + 4, "end", text);
}

static void ticks(const struct drawing *c, double from, double to, bool logarithmic, unsigned count,
                  void (*tick)(const struct drawing *, double))
{
    if (logarithmic) {
        for (double v = pow(10, ceil(log10(from) - 1e-9)); v <= to * 1.0001; v *= 10) tick(c, v);
        return;
    }
    double step = tick_step(to - from, count);
    for (double v = ceil(from / step) * step; v <= to + step * 1e-6; v += step) tick(c, fabs(v) < step * 1e-6 ? 0 : v);
}

void chart_axes(const struct drawing *c)
{
    double base = c->height - c->bottom;
    if (!c->plain_y) ticks(c, c->y0, c->y1, c->log_y, 5, y_tick);
    fprintf(c->out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", c->left,
            c->width - c->right, base, base);
    ticks(c, c->x0, c->x1, c->log_x, 8, x_tick);
    if (c->xlabel) chart_text(c, (c->left + c->width - c->right) / 2, base + 34, "middle", c->xlabel);
    if (!c->ylabel) return;
    fprintf(c->out, "<g transform=\"translate(14 %.1f) rotate(-90)\">", (c->top + base) / 2);
    chart_text(c, 0, 0, "middle", c->ylabel);
    fputs("</g>\n", c->out);
}

/* ---- what is drawn ---- */

static void name_shape(const struct drawing *c, const char *name)
{
    fputs("<title>", c->out);
    html_text(c->out, name);
    fputs("</title>", c->out);
}

static double stack_sum(const struct stack *s, unsigned point, unsigned layers)
{
    double sum = 0;
    for (unsigned k = 0; k < layers; k++) sum += s->value[point * s->layers + k];
    return sum;
}

void chart_stack(const struct drawing *c, const struct stack *s, unsigned layer, const char *colour, const char *name)
{
    fprintf(c->out, "<path fill=\"%s\" d=\"", colour);
    for (unsigned i = 0; i < s->points; i++) { /* the upper edge, a step for each point */
        double y = chart_y(c, stack_sum(s, i, layer + 1));
        fprintf(c->out, "%s%.1f %.1fH%.1f", i ? "L" : "M", chart_x(c, i ? s->ends[i - 1] : c->x0), y,
                chart_x(c, s->ends[i]));
    }
    for (unsigned i = s->points; i-- > 0;)
        fprintf(c->out, "V%.1fH%.1f", chart_y(c, stack_sum(s, i, layer)), chart_x(c, i ? s->ends[i - 1] : c->x0));
    fputs("Z\">", c->out);
    name_shape(c, name);
    fputs("</path>\n", c->out);
}

void chart_line(const struct drawing *c, const double *x, const double *y, unsigned n, const char *colour,
                const char *name)
{
    fprintf(c->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (unsigned i = 0; i < n; i++) fprintf(c->out, "%.1f,%.1f ", chart_x(c, x[i]), chart_y(c, y[i]));
    fputs("\">", c->out);
    name_shape(c, name);
    fputs("</polyline>\n", c->out);
}

void chart_point(const struct drawing *c, double x, double y, const char *colour, const char *name)
{
    fprintf(c->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\" stroke=\"#fff\">", chart_x(c, x),
            chart_y(c, y), colour);
    name_shape(c, name);
    fputs("</circle>\n", c->out);
}

/* From white over yellow and red to black: brightness alone tells the order. */
static void heat_colour(double v, char out[8])
{
    static const int stops[5][3] = {{255, 255, 245}, {254, 217, 118}, {253, 141, 60}, {189, 0, 38}, {60, 0, 30}};
    double at = (v < 0 ? 0 : v > 1 ? 1 : v) * 4;
    int i = at >= 4 ? 3 : (int)at;
    double f = at - i;
    int rgb[3];
    for (int k = 0; k < 3; k++) rgb[k] = (int)lround(stops[i][k] + f * (stops[i + 1][k] - stops[i][k]));
    snprintf(out, 8, "#%02x%02x%02x", rgb[0] & 255, rgb[1] & 255, rgb[2] & 255);
}

static void heat_scale(const struct drawing *c, const struct cells *m, const char *unit)
{
    enum { STEPS = 40, WIDTH = 160 };
    double x = c->width - c->right - WIDTH, y = 6;
    char colour[8], text[96], most[32];
    for (int i = 0; i < STEPS; i++) {
        heat_colour((double)i / (STEPS - 1), colour);
        fprintf(c->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"9\" fill=\"%s\"/>",
                x + (double)i * WIDTH / STEPS, y, (double)WIDTH / STEPS + 0.3, colour);
    }
    short_number(m->most, most, sizeof most);
    snprintf(text, sizeof text, "0 to %s %s", most, unit);
    chart_text(c, x - 6, y + 9, "end", text);
}

void chart_cells(const struct drawing *c, const struct cells *m, const char *unit)
{
    char colour[8];
    double high = (c->height - c->top - c->bottom) / m->rows;
    fputs("<g shape-rendering=\"crispEdges\">\n", c->out);
    for (unsigned r = 0; r < m->rows; r++)
        for (unsigned i = 0; i < m->columns;) { /* equal neighbours are one rectangle */
            double v = m->value[i * m->rows + r];
            unsigned from = i;
            while (i < m->columns && fabs(m->value[i * m->rows + r] - v) <= m->most / 200) i++;
            if (v <= m->most / 200) continue;
            double x = chart_x(c, from ? m->ends[from - 1] : c->x0), end = chart_x(c, m->ends[i - 1]);
            heat_colour(m->most > 0 ? v / m->most : 0, colour);
            fprintf(c->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.2f\" fill=\"%s\"/>\n", x,
                    c->height - c->bottom - (r + 1) * high, end - x, high, colour);
        }
    fputs("</g>\n", c->out);
    heat_scale(c, m, unit);
}
