/** Reads expectations from a YAML list, with the names of the API. */
import { type ExpectationInput, expectationInput, type NotUnderstood, WINDOW_LIMITS } from "@weft/contracts";
import { parseDocument } from "yaml";
import { getText, isRecord } from "../../../core/rows/json.ts";
import { ImportError, type Imported } from "./import-result.ts";

/** Upper bound in characters: enough for 1,000 expectations with long texts. */
const CONTENT_MAX = 2 * 1024 * 1024;

/** @throws ImportError for a text that is no YAML list, or that is too long */
export function importYaml(content: string): Imported {
	if (content.length > CONTENT_MAX) throw new ImportError("Must have at most 2 MB.");
	const entries = readList(content);
	const { expectations: max } = WINDOW_LIMITS;
	if (entries.length > max) throw new ImportError(`Must have at most ${max} expectations.`);
	const expectations: ExpectationInput[] = [];
	const notUnderstood: NotUnderstood[] = [];
	for (const [place, entry] of entries.entries()) {
		const checked = expectationInput.safeParse(readEntry(entry));
		if (checked.success) expectations.push(checked.data);
		else
			notUnderstood.push({
				what: `Entry ${place + 1}`,
				reason: checked.error.issues.map(({ path, message }) => [...path, message].join(": ")).join(" "),
			});
	}
	return { expectations, notUnderstood };
}

function readList(content: string): unknown[] {
	const document = parseDocument(content, { prettyErrors: false });
	const [error] = document.errors;
	if (error !== undefined) throw new ImportError(`Not valid YAML: ${error.message}`);
	let value: unknown;
	try {
		value = document.toJS({ maxAliasCount: 0 });
	} catch {
		throw new ImportError("Aliases are not read. Write the values out.");
	}
	if (!Array.isArray(value)) throw new ImportError("Must be a list of expectations.");
	return value;
}

/** Turns values of attributes into text: `mtu: {to: 9000}` means `"9000"`. */
function readEntry(entry: unknown): unknown {
	if (!isRecord(entry) || !isRecord(entry.attributes)) return entry;
	const attributes = Object.entries(entry.attributes).map(([name, value]) => [name, readValues(value)]);
	return { ...entry, attributes: Object.fromEntries(attributes) };
}

const readValues = (value: unknown): unknown =>
	isRecord(value)
		? Object.fromEntries(Object.entries(value).map(([side, text]) => [side, getText(text) ?? text]))
		: (value ?? {});
