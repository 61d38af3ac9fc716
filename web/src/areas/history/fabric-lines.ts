/** Differences of two fabrics: lines per attribute, and objects of one fabric alone. Pure. */
import type { CompareAnswer, PivotEntry } from "@weft/contracts";
import type { Sheet } from "../../platform/workbook.ts";
import { getEntries } from "./compare-model.ts";
import { formatCapturedValue } from "./written.ts";

/** Of the first and of the second fabric. */
export type Both<Value> = readonly [Value, Value];

/** An object that both fabrics have. */
interface Matched {
	/** The DN in each fabric, or the value by which rows were matched. */
	readonly names: Both<string>;
	/** Empty where it is not known. */
	readonly className: string;
}

export interface AttributeLine extends Matched {
	readonly attribute: string;
	/** Null where the attribute is absent. */
	readonly values: Both<string | null>;
}

export interface LoneObject {
	readonly name: string;
	readonly className: string;
	/** Value of the attribute `name`; empty without one. */
	readonly label: string;
}

export interface FabricDifferences {
	readonly differ: readonly AttributeLine[];
	/** Objects of the first fabric alone, and of the second one. */
	readonly only: Both<readonly LoneObject[]>;
}

/** A comparison of snapshots. */
export function listComparedLines(answer: Pick<CompareAnswer, "diff">): FabricDifferences {
	const differ: AttributeLine[] = [];
	const only: Both<LoneObject[]> = [[], []];
	for (const { kind, dn, movedFrom, className, changed } of getEntries(answer)) {
		if (kind === "modified") {
			const names = [movedFrom ?? dn, dn] as const;
			for (const { key, old, now } of changed) differ.push({ names, className, attribute: key, values: [old, now] });
		} else {
			const named = changed.find(({ key }) => key === "name");
			only[kind === "deleted" ? 0 : 1].push({ name: dn, className, label: named?.old ?? named?.now ?? "" });
		}
	}
	return { differ, only };
}

/** Rows of a group run by one property. @param fabrics names of the two compared connections */
export function listPivotLines(entries: readonly PivotEntry[], fabrics: Both<string>): FabricDifferences {
	const differ: AttributeLine[] = [];
	const only: Both<LoneObject[]> = [[], []];
	for (const { key, connections, differing } of entries) {
		const [isInFirst, isInSecond] = fabrics.map((name) => connections.includes(name));
		if (isInFirst && isInSecond) {
			for (const [attribute, values] of Object.entries(differing)) {
				const [first, second] = fabrics.map((name) => formatCapturedValue(values[name])) as [
					string | null,
					string | null,
				];
				// A third fabric may be the one that differs.
				if (first !== second) differ.push({ names: [key, key], className: "", attribute, values: [first, second] });
			}
		} else if (isInFirst || isInSecond) only[isInFirst ? 0 : 1].push({ name: key, className: "", label: "" });
	}
	return { differ, only };
}

/** Keeps the lines with the text in a name, a class, an attribute or a value; case is ignored. */
export function searchDifferences({ differ, only }: FabricDifferences, text: string): FabricDifferences {
	const needle = text.trim().toLowerCase();
	if (needle === "") return { differ, only };
	const has = (...texts: (string | null)[]): boolean => texts.some((each) => each?.toLowerCase().includes(needle));
	const search = (objects: readonly LoneObject[]) =>
		objects.filter(({ name, className, label }) => has(name, className, label));
	return {
		differ: differ.filter(({ names, className, attribute, values }) => has(...names, className, attribute, ...values)),
		only: [search(only[0]), search(only[1])],
	};
}

/** A sheet for each tab. */
export function writeSheets(
	{ differ, only }: FabricDifferences,
	fabrics: Both<string>,
): readonly [Sheet, Sheet, Sheet] {
	const [first, second] = fabrics;
	const writeOnly = (at: 0 | 1): Sheet => ({
		name: nameSheet(`Only in ${fabrics[at]}`, at),
		...listRows(
			["object", "class", "name"],
			only[at].map(({ name, className, label }) => [name, className, label]),
		),
	});
	return [
		{
			name: "Differ",
			...listRows(
				[`object in ${first}`, `object in ${second}`, "class", "attribute", first, second],
				differ.map(({ names, className, attribute, values: [a, b] }) => [
					...names,
					className,
					attribute,
					a ?? "",
					b ?? "",
				]),
			),
		},
		writeOnly(0),
		writeOnly(1),
	];
}

/** Names of sheets have at most 31 characters, lack some signs, and are unique. */
const nameSheet = (name: string, at: number): string => `${name.replace(/[[\]:*?/\\]/g, " ").slice(0, 28)} ${at + 1}`;

const listRows = (columns: readonly string[], rows: readonly (readonly string[])[]) => ({
	columns,
	count: rows.length,
	row: (at: number) => rows[at] ?? [],
});
