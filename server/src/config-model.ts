/** Settings of the class model: where its documents come from, and which versions there are. */
import { resolve } from "node:path";
import type { SourceVersion } from "./integrations/class-documents/port.ts";

export interface ModelConfig {
	readonly versions: readonly SourceVersion[];
	/** A folder of documents in the place of the publishing site; null: none. */
	readonly folder: string | null;
	/** Requests under way at the same time, where an import does not say. */
	readonly concurrency: number;
}

/** Where the maker of Cisco ACI publishes the documents. */
const PUBLIC_SITE = "https://pubhub.devnetcloud.com";
const BUILT_IN: readonly (readonly [key: string, label: string, chain: readonly string[], classes: number])[] = [
	["611", "6.1(1)", ["601", "521"], 15_500],
	["601", "6.0(1)", ["521"], 15_300],
	["521", "5.2(1)", [], 14_500],
];
const KEY = /^[A-Za-z0-9._-]{1,32}$/;

/** @param url the base address from the settings; null: the public site */
export function readModelConfig(
	value: (name: string) => string | null,
	url: string | null,
	concurrency: number,
	errors: string[],
): ModelConfig {
	const base = (url ?? PUBLIC_SITE).replace(/\/+$/, "");
	const folder = value("WEFT_MODEL_SOURCE_DIR");
	const text = value("WEFT_MODEL_VERSIONS");
	const versions =
		text === null
			? BUILT_IN.map(([key, label, fallbackChain, classCount]) => ({
					key,
					label,
					url: base,
					fallbackChain,
					classCount,
					notes: "",
				}))
			: readVersions(text, base, errors);
	return { versions, folder: folder === null ? null : resolve(folder), concurrency };
}

/** A JSON list of `{"key", "label", "url"?, "fallback_chain"?, "class_count"?, "notes"?}`. */
function readVersions(text: string, base: string, errors: string[]): SourceVersion[] {
	const say = (what: string): [] => {
		errors.push(`WEFT_MODEL_VERSIONS ${what}`);
		return [];
	};
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch {
		return say('must be a JSON list such as [{"key": "611", "label": "6.1(1)", "fallback_chain": ["521"]}].');
	}
	if (!Array.isArray(parsed) || parsed.length === 0) return say("must be a JSON list with at least one version.");
	const versions = parsed.flatMap((item: Record<string, unknown> | null): SourceVersion[] => {
		const { key, label, url = base, fallback_chain: chain = [], class_count: classes = 0, notes = "" } = item ?? {};
		if (typeof key !== "string" || !KEY.test(key))
			return say("needs a key of letters, digits and . _ - for each version.");
		if (typeof label !== "string" || label === "") return say(`needs a label for the version ${key}.`);
		if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
			return say(`needs an http or https address as url of the version ${key}.`);
		if (!Array.isArray(chain) || chain.some((other) => typeof other !== "string" || !KEY.test(other)))
			return say(`needs a list of keys as fallback_chain of the version ${key}.`);
		if (!Number.isInteger(classes) || (classes as number) < 0)
			return say(`needs a whole number as class_count of the version ${key}.`);
		return [
			{
				key,
				label,
				url: url.replace(/\/+$/, ""),
				fallbackChain: chain,
				classCount: classes as number,
				notes: String(notes),
			},
		];
	});
	if (new Set(versions.map(({ key }) => key)).size < versions.length) say("names a version twice.");
	return versions;
}
