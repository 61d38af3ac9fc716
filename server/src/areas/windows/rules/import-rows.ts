/** Turns approved rows into expectations. */
import { type ExpectationInput, expectationInput, type NotUnderstood, type RowExpectation } from "@weft/contracts";
import { getText } from "../../../core/rows/json.ts";
import { buildRn, listNamingProperties } from "../../runs/pipelines/rules/dn.ts";
import type { Imported } from "./import-result.ts";

/** Fills each template with each row. Equal expectations of several rows become one. */
export function buildRowExpectations(
	templates: readonly RowExpectation[],
	rows: readonly Readonly<Record<string, unknown>>[],
): Imported {
	const expectations = new Map<string, ExpectationInput>();
	const notUnderstood: NotUnderstood[] = [];
	for (const [place, row] of rows.entries())
		for (const template of templates) {
			const what = `Row ${place + 1}`;
			const built = fillTemplate(template, row, `${what}.`);
			if (typeof built === "string") notUnderstood.push({ what, reason: built });
			else expectations.set(JSON.stringify([built.change, built.class_name, built.dn, built.attributes]), built);
		}
	return { expectations: [...expectations.values()], notUnderstood };
}

/** Returns the expectation, or the reason why the row yields none. */
function fillTemplate(
	{ dn, change, class_name, attributes, required, severity }: RowExpectation,
	row: Readonly<Record<string, unknown>>,
	note: string,
): ExpectationInput | string {
	const texts = Object.values(attributes ?? {}).flatMap(({ from, to }) => [from, to].flatMap((text) => text ?? []));
	const values = new Map<string, string>();
	for (const column of new Set([dn, ...texts].flatMap(listNamingProperties))) {
		const value = getText(row[column])?.trim() ?? "";
		if (value === "") return `The value of ${column} is missing.`;
		values.set(column, value);
	}
	const wild = listNamingProperties(dn).find((column) => values.get(column)?.includes("*"));
	if (wild !== undefined) return `The value of ${wild} has a *, which would stand for any characters.`;
	const filled = buildRn(dn, values);
	if (filled === undefined) return `The values do not fit ${dn}: outside of brackets they must have no / [ or ].`;
	const checked = expectationInput.safeParse({
		change,
		class_name: class_name ?? null,
		dn: filled,
		attributes: attributes == null ? null : fillAttributes(attributes, values),
		...(required === undefined ? {} : { required }),
		...(severity === undefined ? {} : { severity }),
		note,
		source: "request",
	});
	return checked.success ? checked.data : (checked.error.issues[0]?.message ?? "It is not valid.");
}

function fillAttributes(attributes: NonNullable<RowExpectation["attributes"]>, values: ReadonlyMap<string, string>) {
	const fill = (text: string | null | undefined) =>
		text?.replace(/\{([^{}]+)\}/g, (whole, column: string) => values.get(column) ?? whole) ?? text;
	return Object.fromEntries(
		Object.entries(attributes).map(([name, { from, to }]) => [
			name,
			{ ...(from === undefined ? {} : { from: fill(from) }), ...(to === undefined ? {} : { to: fill(to) }) },
		]),
	);
}
