/* SPDX-License-Identifier: Apache-2.0 */
/* steps: the steps of the last change of leader, with their times: `why --times`. */
#include "steps.h"

#include "electctl/ask.h"
#include "electctl/field.h"
#include "electctl/text.h"

enum {
	TENTH_US = 100,
	MS_WIDTH = 9,
	STEP_LEFT = 2 * (MS_WIDTH + 2), /* columns before the text of a step */
};

/* "12.3" */
static const char *tenths(json_int_t us, bool sign, char text[TEXT_TIME_MAX])
{
	json_int_t all = us / TENTH_US;

	snprintf(text, TEXT_TIME_MAX, "%s%" JSON_INTEGER_FORMAT ".%d", sign ? "+" : "", all / 10,
		(int)(all % 10));
	return text;
}

static void print_step(const struct options *o, const json_t *step, json_int_t before_us)
{
	json_int_t us = field_number(step, "us", NULL, 0);
	char since[TEXT_TIME_MAX], more[TEXT_TIME_MAX] = "";

	if (before_us >= 0)
		tenths(us - before_us, true, more);
	fprintf(o->out, "%*s  %*s  ", MS_WIDTH, tenths(us, false, since), MS_WIDTH, more);
	text_fill(o->out, o->width, STEP_LEFT, field_text(step, "text", NULL));
	fputc('\n', o->out);
}

static void print_steps(const struct options *o, const json_t *answer, const json_t *steps)
{
	char when[TEXT_TIME_MAX], head[128];
	json_int_t before_us = -1;
	const json_t *step;
	size_t i;

	text_local_time(field_text(answer, "at", NULL), true, true, when, sizeof when);
	snprintf(head, sizeof head, "The last change of leader began at %s.%s", when,
		field_true(answer, "over", NULL) ? "" : " It is not over.");
	text_fill(o->out, o->width, 0, head);
	fputs("\n\n", o->out);
	snprintf(head, sizeof head, "%*s  %*s  STEP", MS_WIDTH, "MS", MS_WIDTH, "MORE");
	text_put(o->out, o->colour, TEXT_FAINT, head);
	fputc('\n', o->out);
	json_array_foreach(steps, i, step)
	{
		print_step(o, step, before_us);
		before_us = field_number(step, "us", NULL, 0);
	}
}

static void print_plain_steps(const struct options *o, const json_t *steps)
{
	json_int_t us, before_us = -1;
	const json_t *step;
	size_t i;

	json_array_foreach(steps, i, step)
	{
		char since[TEXT_TIME_MAX], more[TEXT_TIME_MAX] = "0.0";

		us = field_number(step, "us", NULL, 0);
		if (before_us >= 0)
			tenths(us - before_us, false, more);
		fprintf(o->out, "%s\t%s\t%s\t%s\t%lld\t%s\n", tenths(us, false, since), more,
			field_text(step, "step", NULL), field_text(step, "host", "name"),
			(long long)field_number(step, "times", NULL, 1),
			field_text(step, "text", NULL));
		before_us = us;
	}
}

/* An electd of an earlier version knows no such request. */
static enum electctl_exit ask_times(const struct options *o, json_t **ret_answer)
{
	return ask_new(o, "io.electd.GetTimes",
		"this electd is older than electctl and records no times; `electctl why` and "
		"`electctl history` work",
		ret_answer);
}

enum electctl_exit steps_show(const struct options *o)
{
	json_t *answer = NULL, *steps;
	enum electctl_exit code = ask_times(o, &answer);

	if (code != ELECTCTL_OK)
		return code;
	steps = json_object_get(answer, "steps");
	if (o->json)
		ask_print_json(o, answer, false);
	else if (o->plain)
		print_plain_steps(o, steps);
	else if (json_array_size(steps))
		print_steps(o, answer, steps);
	else
		ask_say(o, "the leader has not changed yet");
	json_decref(answer);
	return code;
}
