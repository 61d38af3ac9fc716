/** Builders of the input of the rules of change windows, for their tests. */
import { type ExpectationInput, expectation, type QueryItem } from "@weft/contracts";
import { createJudging } from "./expectations.ts";
import type { Difference, Judging } from "./types.ts";

export const FABRIC = "11111111-1111-4111-8111-111111111111";
export const OTHER_FABRIC = "22222222-2222-4222-8222-222222222222";

export const buildExpectation = (
	fields: Partial<ExpectationInput> & Pick<ExpectationInput, "dn">,
	id = "e1",
	late = false,
) => expectation.parse({ ...fields, id, late });

export const buildDifference = (dn: string, fields: Partial<Difference> = {}): Difference => ({
	dn,
	className: "fvBD",
	change: "added",
	severity: "warning",
	attributes: [],
	omitted: 0,
	changedBy: null,
	...fields,
});

/** A modified object whose attributes are given as `name: [before, after]`. */
export const buildModified = (
	dn: string,
	attributes: Readonly<Record<string, readonly [before: string | null, after: string | null]>>,
	fields: Partial<Difference> = {},
): Difference =>
	buildDifference(dn, {
		change: "modified",
		attributes: Object.entries(attributes).map(([name, [before, after]]) => ({ name, before, after })),
		...fields,
	});

export const buildQueryItem = (fields: Partial<QueryItem> = {}): QueryItem => ({
	query: "33333333-3333-4333-8333-333333333333",
	compare: "exact",
	match: "dn",
	severity: null,
	group_by: [],
	tolerance: null,
	unsettled_when: null,
	...fields,
});

export const buildJudging = (fields: Partial<Omit<Judging, "compiled">> = {}): Judging =>
	createJudging({ failOn: "warning", expectations: [], implementers: [], ...fields });
