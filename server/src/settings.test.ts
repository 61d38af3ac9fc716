/** The table of settings is what the configuration reads, and docs/settings.md is made of it. */
import { readdirSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import { readConfig } from "./config.ts";
import { SETTING_GROUPS, SETTING_NAMES } from "./settings.ts";
import { buildSettingsDocument } from "./settings-document.ts";

const SETTINGS = SETTING_GROUPS.flatMap(({ settings }) => settings);

it.each(SETTINGS)("$name is read, and its example is accepted", ({ name, example, needs = {} }) => {
	const withIt = readConfig({ ...needs, [name]: example });
	expect(withIt.unknown).toEqual([]);
	const { [name]: _, ...others } = needs as Record<string, string>;
	let without: unknown = null;
	try {
		without = readConfig(others);
	} catch {
		// The setting is required with the others.
	}
	expect(isDeepStrictEqual(withIt, without)).toBe(false);
});

it("names all that the configuration reads", () => {
	const folder = new URL("./", import.meta.url);
	const sources = readdirSync(folder).filter((name) => /^config[\w-]*\.ts$/.test(name) && !name.includes(".test."));
	expect(sources.length).toBeGreaterThan(3);
	const text = sources.map((name) => readFileSync(new URL(name, folder), "utf8")).join("");
	const names = text.match(/(?<=")WEFT_[A-Z_]+(?=")/g) ?? [];
	expect(names.length).toBeGreaterThan(20);
	expect(names.filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
});

it("is what docs/settings.md says (npm run openapi writes it)", () => {
	expect(readFileSync(new URL("../../docs/settings.md", import.meta.url), "utf8")).toBe(buildSettingsDocument());
});
