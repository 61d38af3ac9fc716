/**
 * The processor `join`: one row for each object of a base class, with fields of objects of other
 * classes as its attributes. Partners are found by hash or by binary search, and what a group of
 * partners gives is computed once, so that the work grows with the rows that are read and made.
 */
import type { PostProcessorConfig } from "@weft/contracts";
import { getText } from "../../../../../core/rows/json.ts";
import { type Row, readManagedObject, readValuesAt } from "../../../../../core/rows/rows.ts";
import { buildTooLongListError, joinBounded, LIST_BYTES, limitRow } from "./bounds.ts";
import { createPartnerFinder, type Partner } from "./join-partners.ts";

export type JoinConfig = PostProcessorConfig<"join">;
type Attachment = JoinConfig["attach"][number];
/** Attributes that one or more partners add to a row. */
type Attached = Readonly<Record<string, string>>;

/** Other classes of the objects that a class was read as, by its name. */
export type Subclasses = Readonly<Record<string, readonly string[]>>;

const SEPARATOR = ", ";
/** Characters of attached values from which the size of the whole row is measured. */
const LONG_TEXT = 1024 ** 2;

/** The class of an object, and of a row that was one before it became flat. */
function getClass(row: Row): string | undefined {
	let only: string | undefined;
	for (const key in row) {
		if (only !== undefined) return typeof row.class === "string" ? row.class : undefined;
		only = key;
	}
	return readManagedObject(row)?.className;
}

/**
 * Rows of the base in their order; those of one object by the DNs of its partners. Rows of other
 * classes than those of the join are dropped.
 */
export function createJoin(config: JoinConfig, subclasses: Subclasses = {}): (rows: readonly Row[]) => Iterable<Row> {
	const joined = [config.base, ...config.attach.map((entry) => entry.class)];
	const listNames = (name: string): string[] => [
		name,
		...(Object.hasOwn(subclasses, name) ? (subclasses[name] ?? []) : []),
	];
	return (rows) => {
		const byClass = new Map<string, Row[]>(joined.flatMap(listNames).map((name) => [name, []]));
		for (const row of rows) byClass.get(getClass(row) ?? "")?.push(row);
		const listRows = (name: string) => listNames(name).flatMap((own) => byClass.get(own) ?? []);
		const steps = config.attach.map((entry) => createAttacher(entry, listRows(entry.class)));
		return joinRows(listRows(config.base), steps);
	};
}

/** What partners of one class add to a row: once for each row that it becomes. */
type Attacher = (row: Row) => Iterable<Attached>;

/** Rows are made one after another: with `rows` there can be many more than were read. */
function* joinRows(bases: readonly Row[], steps: readonly Attacher[]): Generator<Row> {
	for (const base of bases) yield* attachAll(base, base, {}, steps);
}

/** @param row the base with what earlier entries have `attached` */
function* attachAll(base: Row, row: Row, attached: Attached, [step, ...others]: readonly Attacher[]): Generator<Row> {
	if (step === undefined) yield countText(attached) > LONG_TEXT ? limitRow(row) : row;
	else {
		for (const more of step(row)) {
			const all = { ...attached, ...more };
			yield* attachAll(base, withAttributes(base, all), all, others);
		}
	}
}

function createAttacher(entry: Attachment, rows: readonly Row[]): Attacher {
	const find = createPartnerFinder(entry.by, rows);
	const missing = nameValues(entry, () => (entry.many === "count" ? "0" : ""));
	const combined = new WeakMap<readonly Partner[], readonly Attached[]>();
	let size = 0;

	/** What a group gives; kept, because several bases may have the same group. */
	function combineGroup(group: readonly Partner[]): readonly Attached[] {
		const known = combined.get(group);
		if (known !== undefined) return known;
		const made = combinePartners(entry, group);
		for (const attached of made) for (const value of Object.values(attached)) size += value.length;
		if (size > LIST_BYTES) throw buildTooLongListError();
		combined.set(group, made);
		return made;
	}

	return function* attachPartners(row) {
		const group = find(row);
		if (group.length > 0) yield* combineGroup(group);
		else if (!entry.inner) yield missing;
	};
}

/** @param group partners in the order of DN; at least one */
function combinePartners(entry: Attachment, group: readonly Partner[]): readonly Attached[] {
	switch (entry.many) {
		case "rows":
			return group.map(({ row }) => nameValues(entry, (field) => readText(row, field)));
		case "first":
			return group.slice(0, 1).map(({ row }) => nameValues(entry, (field) => readText(row, field)));
		case "count":
			return [nameValues(entry, () => String(group.length))];
		case "list":
			return [nameValues(entry, (field) => joinTexts(group.flatMap(({ row }) => listTextsAt(row, field))))];
	}
}

const nameValues = ({ fields }: Attachment, getValue: (field: string) => string): Attached =>
	Object.fromEntries(fields.map(({ field, as }) => [as, getValue(field)]));

const listTextsAt = (row: Row, field: string): string[] =>
	readValuesAt(row, field).flatMap((value) => getText(value) ?? []);
const readText = (row: Row, field: string): string => joinTexts(listTextsAt(row, field));

/** The distinct texts that are not empty. @throws ProcessorError where they are too long */
function joinTexts(texts: readonly string[]): string {
	if (texts.length <= 1) return texts[0] ?? "";
	const distinct = new Set(texts);
	distinct.delete("");
	return joinBounded([...distinct], SEPARATOR);
}

/** The row with these attributes, or with these fields where it is flat. */
function withAttributes(row: Row, attached: Attached): Row {
	const object = readManagedObject(row);
	if (object === undefined) return placeAttached(row, attached);
	const { className, attributes } = object;
	return { [className]: { ...(row[className] as object), attributes: placeAttached(attributes, attached) } };
}

function countText(attached: Attached): number {
	let length = 0;
	for (const name in attached) length += attached[name]?.length ?? 0;
	return length;
}

/** Attached values come after the names of the object: tables show columns in this order. */
function placeAttached(own: Row, attached: Attached): Row {
	const { dn, name } = own;
	const isReplaced = Object.keys(attached).some((key) => Object.hasOwn(own, key));
	if (dn === undefined || isReplaced) return { ...own, ...attached };
	return name === undefined ? { dn, ...attached, ...own } : { dn, name, ...attached, ...own };
}
