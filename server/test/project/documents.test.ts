/** Links of documents lead somewhere, and the README stays short. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { PAGES } from "../../../docs/.vitepress/pages.ts";
import { listShippedDependencies } from "../../../scripts/dependencies.mjs";
import { documents, getText, root } from "../support/documents.ts";

/** Targets of links and pictures outside of code. */
function listLinks(text: string): string[] {
	const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, "").replace(/`[^`\n]*`/g, "");
	return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

/** The names of a document's headings in addresses, as code hosts make them. */
function listAnchors(text: string): Set<string> {
	const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, title = ""]) => title);
	return new Set(
		headings.map((title) =>
			title
				.toLowerCase()
				.replace(/[^\p{L}\p{N}\s_-]/gu, "")
				.replace(/\s/g, "-"),
		),
	);
}

/** Links to files and headings that do not exist. */
function findBrokenLinks(path: string, text: string): string[] {
	return listLinks(text)
		.filter((target) => !/^[a-z]+:/.test(target))
		.filter((target) => {
			const [file = "", anchor] = target.split("#");
			const other = join(dirname(path), file);
			if (file !== "" && !existsSync(other)) return true;
			return anchor !== undefined && !listAnchors(file === "" ? text : getText(other)).has(anchor);
		})
		.map((target) => `${relative(root, path)}: ${target}`);
}

describe("links of documents", () => {
	it("are checked: planted broken ones are found", () => {
		const path = join(root, "docs/planted.md");
		expect(findBrokenLinks(path, "# A title\n[a](missing.md) [b](#a-title) [c](#other) ![d](../README.md)")).toEqual([
			"docs/planted.md: missing.md",
			"docs/planted.md: #other",
		]);
		expect(findBrokenLinks(path, "```\n[a](missing.md)\n```\n`[b](missing.md)`")).toEqual([]);
	});

	it("lead to files and headings that exist", () => {
		expect(documents.length).toBeGreaterThan(30);
		expect(documents.flatMap((path) => findBrokenLinks(path, getText(path)))).toEqual([]);
	});
});

it("lists every document on the help site", () => {
	const names = readdirSync(join(root, "docs"))
		.filter((name) => name.endsWith(".md") && name !== "index.md")
		.map((name) => `/${name.slice(0, -3)}`);
	const listed = PAGES.flatMap(({ items }) => items.map(({ link }) => link));
	expect(listed.toSorted()).toEqual(names.toSorted());
});

it("has a README below 200 lines", () => {
	expect(getText(join(root, "README.md")).split("\n").length).toBeLessThan(200);
});

it("lists every dependency of what runs at users, with its version, purpose and alternative", () => {
	const text = getText(join(root, "docs/dependencies.md"));
	const rows = [...text.matchAll(/^\| `(\S+)` \| (\S+) \| [\d-]+ \| \S+ \| [^|]+ \| [^|]{4,} \| [^|]{2,} \|$/gm)];
	const listed = rows.map(([, name, version]) => [name, version]);
	expect(listed).toEqual([...listShippedDependencies(root)]);
});
