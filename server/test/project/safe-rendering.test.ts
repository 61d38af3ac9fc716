/** Sources make neither HTML nor code from text, and password fields are safe to fill in. */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDERS = ["web/src", "server/src", "cli/src", "sdk/src", "contracts/src"];
const RENDERED = /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|srcdoc|srcDoc/;
const EVALUATED = /(?<![.\w])eval\(|new Function\(|(?<![.\w])Function\("|node:vm/;

function readSources(folder: string): { readonly name: string; readonly text: string }[] {
	return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
		.filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name))
		.map((name) => ({
			name: `${folder}/${name.split(sep).join("/")}`,
			text: readFileSync(join(root, folder, name), "utf8"),
		}));
}
const sources = FOLDERS.flatMap(readSources);
const findMatching = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

describe("sources", () => {
	it("are read, and planted violations are found", () => {
		expect(sources.length).toBeGreaterThan(500);
		for (const text of ["<p dangerouslySetInnerHTML={x} />", "element.innerHTML = x"]) expect(text).toMatch(RENDERED);
		for (const text of ["eval(x)", "new Function(x)", 'import "node:vm"']) expect(text).toMatch(EVALUATED);
	});

	it("make no HTML from text in the browser", () => expect(findMatching(RENDERED)).toEqual([]));

	it("evaluate no text as code", () => expect(findMatching(EVALUATED)).toEqual([]));
});

describe("fields of passwords", () => {
	const FIELD = /<PasswordField\b[^>]*?\/>/gs;
	const ofAccounts = sources
		.filter(({ name }) => /^web\/src\/(?:areas\/accounts\/(?:sign-in|me)|ui)\//.test(name))
		.flatMap(({ text }) => text.match(FIELD) ?? []);

	it("mask what is typed, all by one component", () => {
		const field = sources.find(({ name }) => name === "web/src/ui/field.tsx")?.text ?? "";
		expect(field).toContain('type={shown ? "text" : "password"}');
		expect(findMatching(/type="password"/)).toEqual([]);
		expect(ofAccounts.length).toBeGreaterThan(4);
	});

	it("of accounts name the password for password managers, and take pasted text", () => {
		for (const field of ofAccounts) {
			expect(field).toMatch(/autoComplete="(?:current|new)-password"/);
			expect(field).not.toContain("onPaste");
		}
	});
});
