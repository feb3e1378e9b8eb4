/*
 * rules/evidence/recurrent.h: a framework's recurrent layer (nn.LSTM, nn.GRU, nn.RNN) that a
 * loop over positions calls for one after the other, where one call takes all of them. Pure.
 */
#ifndef CADV_RECURRENT_H
#define CADV_RECURRENT_H

#include "rules/engine/rule.h"

struct recurrent {
	const struct site *site;	/* a launch of the line that calls it; NULL: no
					 * such layer */
	double calls;		/* of that line, for each step of the optimizer: of its
				 * launches the largest number that all are multiples of */
	double steps;		/* of the optimizer */
	const bool *of;		/* by kernel index: launched by the layer, or by its
				 * backward pass */
};

/*
 * recurrent_layer(x, least): the layer that is called most often from one line, at least
 * ${least} times for each step of an optimizer, forward and backward. Only a training counts:
 * there the inputs of all positions are mostly known, where a sampler makes each of them of
 * the output before. A loop that does so, too (attention between two calls, the choice of
 * the next token), is none. Sites are of a part of the launches: all numbers are estimates.
 */
struct recurrent recurrent_layer(const struct rule_view *x, double least);

#endif
