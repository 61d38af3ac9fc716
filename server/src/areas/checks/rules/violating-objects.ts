/** Objects of the evidence as an alert names them: with the values that violate the check. */
import { createHash } from "node:crypto";
import type { CheckRule, CheckSampleRow } from "@weft/contracts";
import { buildAllConditionsTest, readTextsAt } from "../../../core/rows/conditions.ts";
import { getText, isRecord } from "../../../core/rows/json.ts";
import { getDn, listAttributes, type Row } from "../../../core/rows/rows.ts";
import { compareCodeUnits } from "../../../core/text.ts";

export interface ViolatingObject {
	/** The DN, or the values of the fields by which rows are grouped or compared. */
	readonly name: string;
	/** Such as `operSt down`; empty where the object's presence is the violation. */
	readonly values: string;
	/** Null for an object of several connections. */
	readonly connection: string | null;
}

const NAME_MAX = 200;
const VALUES_MAX = 200;
/** Fields of one object. */
const FIELDS = 4;
/** Fields that name the problem of an object whose presence is the violation. */
const TELLING = ["severity", "code", "operSt", "operStQual", "state", "operState", "health", "descr"] as const;
/** Fields that name a row without a DN. */
const NAMING = ["name", "id", "ip", "mac"] as const;

const clipText = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

const formatField = (name: string, texts: readonly string[]): string =>
	`${name} ${texts.length === 0 || texts.every((text) => text === "") ? "(empty)" : texts.join(", ")}`;

const formatFields = (row: Row, fields: readonly string[]): string =>
	[...new Set(fields)]
		.slice(0, FIELDS)
		.map((field) => formatField(field, readTextsAt(row, field)))
		.join(", ");

function findName(row: Row): string {
	const dn = getDn(row);
	if (dn !== undefined) return dn;
	const attributes = listAttributes(row);
	const named = NAMING.flatMap((field) => getText(attributes[field]) ?? []);
	return named[0] ?? getText(Object.values(attributes)[0]) ?? "a row";
}

/** Present fields that name the problem; of a row of chosen fields the first of them. */
function formatTellingFields(row: Row): string {
	const attributes = listAttributes(row);
	const known = TELLING.filter((field) => (getText(attributes[field]) ?? "") !== "");
	const fields = known.length > 0 || attributes.dn !== undefined ? known : Object.keys(attributes);
	return formatFields(row, fields);
}

const formatKey = (row: Row, fields: readonly string[]): string =>
	fields.map((field) => formatShown(row[field])).join(", ");

const formatShown = (value: unknown): string =>
	Array.isArray(value) ? value.map(formatShown).join(", ") : value === null ? "(empty)" : (getText(value) ?? "…");

/** Values of one field by connection, such as `mtu 9000 on fab-dc1, 1500 on fab-dc2`. */
function formatDifference(name: string, byConnection: unknown): string {
	const values = isRecord(byConnection) ? Object.entries(byConnection) : [];
	return `${name} ${values.map(([connection, value]) => `${formatShown(value)} on ${connection}`).join(", ")}`;
}

function formatEverywhere(row: Row): string {
	const missing = Array.isArray(row.missing) ? row.missing.map(formatShown) : [];
	const differing = isRecord(row.differing) ? Object.entries(row.differing) : [];
	return [
		...(missing.length > 0 ? [`missing on ${missing.join(", ")}`] : []),
		...differing.slice(0, FIELDS).map(([name, values]) => formatDifference(name, values)),
	].join("; ");
}

function formatChange(row: Row): string {
	const attributes = Array.isArray(row.attributes) ? row.attributes.slice(0, FIELDS).map(formatShown) : [];
	const change = formatShown(row.change ?? null);
	return attributes.length === 0 ? change : `${change}: ${attributes.join(", ")}`;
}

function describeRow({ type, config }: CheckRule, row: Row): Pick<ViolatingObject, "name" | "values"> {
	switch (type) {
		case "no_rows":
			return { name: findName(row), values: formatTellingFields(row) };
		case "each_row":
			return {
				name: findName(row),
				values: formatFields(
					row,
					config.conditions.map(({ field }) => field),
				),
			};
		case "unique":
			return { name: findName(row), values: formatFields(row, config.fields) };
		case "row_count": {
			const name = config.group_by.length === 0 ? "all rows" : formatKey(row, config.group_by);
			return { name, values: `count ${formatShown(row.count)}` };
		}
		case "trend": {
			const { group_by } = config;
			const name = group_by === undefined ? "all rows" : formatKey(row, [group_by]);
			return {
				name,
				values: formatFields(
					row,
					Object.keys(row).filter((field) => field !== group_by),
				),
			};
		}
		case "same_everywhere":
			return { name: formatKey(row, config.key), values: formatEverywhere(row) };
		case "unchanged":
			return { name: formatShown(row.dn ?? null), values: formatChange(row) };
	}
}

/**
 * Lists the fields of a row whose values violate the check: of several conditions that must all
 * hold, those that do not. Empty if the presence of the row is the violation.
 */
export function listViolatingFields({ type, config }: CheckRule, row: Row): string[] {
	switch (type) {
		case "no_rows":
			return [];
		case "each_row": {
			const { conditions, match } = config;
			const isBroken = (condition: (typeof conditions)[number]) =>
				!buildAllConditionsTest({ conditions: [condition], match })(row);
			const broken = conditions.filter(isBroken);
			return [...new Set((broken.length > 0 ? broken : conditions).map(({ field }) => field))];
		}
		case "unique":
			return [...config.fields];
		case "row_count":
			return ["count"];
		case "trend":
			return Object.keys(row).filter((field) => field !== config.group_by);
		case "same_everywhere":
			return ["missing", "differing"].filter((field) => row[field] !== undefined);
		case "unchanged":
			return ["change"];
	}
}

/**
 * Builds a digest that identifies a row without a DN, of the fields that do not violate the check.
 * @returns the first half of a SHA-256, in hexadecimal
 */
export function buildRowDigest(rule: CheckRule, row: Row): string {
	const violating = new Set(listViolatingFields(rule, row));
	const named = Object.entries(row).filter(([name]) => !violating.has(name));
	const text = JSON.stringify(named.sort(([one], [other]) => compareCodeUnits(one, other)));
	return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

export function describeViolation(rule: CheckRule, { connection, row }: CheckSampleRow): ViolatingObject {
	const { name, values } = describeRow(rule, row);
	return { name: clipText(name, NAME_MAX), values: clipText(values, VALUES_MAX), connection };
}
