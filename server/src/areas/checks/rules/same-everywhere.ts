/** Rows by key that must be the same on all connections. */
import { createHash } from "node:crypto";
import type { CheckConfig } from "@weft/contracts";
import { readTextsAt } from "../../../core/rows/conditions.ts";
import { isRecord } from "../../../core/rows/json.ts";
import { type Row, readManagedObject } from "../../../core/rows/rows.ts";
import { assertKeys, type Evaluator, getKey, listShownTexts } from "./keys.ts";
import { assignFieldNumber, type Fields } from "./row-reader.ts";
import { createSample } from "./sample.ts";

/** Attributes that name an object on its fabric, or that differ without a difference. */
const NOT_COMPARED: ReadonlySet<string> = new Set([
	"dn",
	"rn",
	"uid",
	"modTs",
	"status",
	"childAction",
	"lcOwn",
	"monPolDn",
	"extMngdBy",
	"userdom",
]);

/** Order of rows of one key does not matter: `sum` is the sum of their digests modulo 2^64. */
interface Content {
	rows: number;
	sum: bigint;
}
interface Detail {
	readonly key: Readonly<Record<string, unknown>>;
	/** The attributes of the first row of each source. */
	readonly found: Map<number, Readonly<Record<string, unknown>>>;
}

const MODULUS = 2n ** 64n;
/** Keys that are described; as many as evidence has rows. */
const DESCRIBED = 200;

/** A row without any value in its key is compared under the empty key. */
export function compareEverywhere(
	config: CheckConfig<"same_everywhere">,
	connections: readonly string[],
	fields: Fields,
): Evaluator {
	const keyFields = config.key.map((name) => assignFieldNumber(fields, name));
	const contents = new Map<string, (Content | undefined)[]>();
	const described = new Map<string, Detail>();
	let violations = 0;
	let pass = 1;

	function isSame(sources: readonly (Content | undefined)[]): boolean {
		const [first] = sources;
		return connections.every((_, i) => {
			const content = sources[i];
			return first !== undefined && content?.rows === first.rows && content.sum === first.sum;
		});
	}

	return {
		take(view, source) {
			const texts = keyFields.map((field) => view.texts(field));
			const key = getKey(texts);
			const row = view.row();
			if (pass === 2) {
				const detail = described.get(key);
				if (detail !== undefined && !detail.found.has(source))
					detail.found.set(source, pickComparedFields(row, config));
				if (detail !== undefined || described.size === DESCRIBED || isSame(contents.get(key) ?? [])) return;
				const shown = config.key.map((field, i) => [field, listShownTexts(texts[i] ?? [])]);
				const found = new Map([[source, pickComparedFields(row, config)]]);
				described.set(key, { key: Object.fromEntries(shown), found });
				return;
			}
			const digest = computeDigest(pickComparedFields(row, config));
			const sources = contents.get(key);
			const content = sources?.[source];
			if (content !== undefined) {
				content.rows += 1;
				content.sum = (content.sum + digest) % MODULUS;
			} else if (sources !== undefined) sources[source] = { rows: 1, sum: digest };
			else {
				const made: (Content | undefined)[] = [];
				made[source] = { rows: 1, sum: digest };
				contents.set(key, made);
				assertKeys(contents.size);
			}
		},
		endPass() {
			pass += 1;
			if (pass > 2) return false;
			for (const sources of contents.values()) if (!isSame(sources)) violations += 1;
			return violations > 0;
		},
		result() {
			const sample = createSample();
			for (const { key, found } of described.values()) {
				const missing = connections.filter((_, i) => !found.has(i));
				sample.add(null, { ...key, missing, differing: findDifferingFields(found, connections) });
			}
			return { violations, sample: sample.rows };
		},
	};
}

/** The compared fields of a row with their values. */
function pickComparedFields(
	row: Row,
	{ fields, ignore }: CheckConfig<"same_everywhere">,
): Readonly<Record<string, unknown>> {
	const ignored = new Set(ignore);
	if (fields.length > 0) {
		const chosen = fields.filter((field) => !ignored.has(field));
		return Object.fromEntries(chosen.map((field) => [field, listShownTexts(readTextsAt(row, field))]));
	}
	const object = readManagedObject(row);
	const all = object === undefined ? row : { class: object.className, ...object.attributes };
	const compared = Object.entries(all).filter(([name]) => !NOT_COMPARED.has(name) && !ignored.has(name));
	if (object !== undefined && object.children.length > 0 && !ignored.has("children")) {
		// Controllers return children in any order.
		const children = object.children.map((child) =>
			formatCanonicalJson(pickComparedFields(child, { key: [], fields: [], ignore })),
		);
		compared.push(["children", children.sort()]);
	}
	return Object.fromEntries(compared);
}

const computeDigest = (compared: unknown): bigint =>
	createHash("sha256").update(formatCanonicalJson(compared)).digest().readBigUInt64BE();

/** JSON with the keys of objects in order. */
function formatCanonicalJson(value: unknown): string {
	return JSON.stringify(value, (_, entry: unknown) =>
		isRecord(entry) ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1))) : entry,
	);
}

/** The values by connection of each field that is not the same where the key is found. */
function findDifferingFields(
	found: Detail["found"],
	connections: readonly string[],
): Record<string, Record<string, unknown>> {
	const names = new Set([...found.values()].flatMap((row) => Object.keys(row)));
	const result: Record<string, Record<string, unknown>> = {};
	for (const name of names) {
		const values = [...found].map(([source, row]) => [connections[source] ?? "", row[name] ?? null] as const);
		if (new Set(values.map(([, value]) => formatCanonicalJson(value))).size > 1)
			result[name] = Object.fromEntries(values);
	}
	return result;
}
