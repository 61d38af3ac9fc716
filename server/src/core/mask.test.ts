import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLargeMask, createMask, MASKED, maskTexts, maskValues } from "./mask.ts";

const SECRET = `hunter2 "a" it's \\ tab\t ü中😀`;

describe("a secret is masked", () => {
	const json = JSON.stringify(SECRET);
	it.each([
		["as it is", SECRET],
		["in JSON", json.slice(1, -1)],
		["in JSON within JSON", JSON.stringify(json).slice(3, -3)],
		["in JSON of Python", `hunter2 \\"a\\" it's \\\\ tab\\t \\u00fc\\u4e2d\\ud83d\\ude00`],
		["in Python", `hunter2 "a" it\\'s \\\\ tab\\t ü中😀`],
		["in ASCII of Python", `hunter2 "a" it\\'s \\\\ tab\\t \\xfc\\u4e2d\\U0001f600`],
		["in Python within JSON", JSON.stringify(`hunter2 "a" it\\'s \\\\ tab\\t ü中😀`).slice(1, -1)],
		["in YAML", SECRET.replaceAll("'", "''")],
		["in a shell", SECRET.replaceAll("'", `'"'"'`)],
		["in a URL", encodeURIComponent(SECRET)],
		["in a URL of Python", "hunter2%20%22a%22%20it%27s%20%5C%20tab%09%20%C3%BC%E4%B8%AD%F0%9F%98%80"],
		["in Base64", Buffer.from(SECRET).toString("base64")],
		["in Base64 for URLs", Buffer.from(SECRET).toString("base64url")],
		["in Base64 after a user", Buffer.from(`admin:${SECRET}`).toString("base64")],
		["in Base64 after a longer user", Buffer.from(`admin1:${SECRET}`).toString("base64")],
		["in Base64 of a longer text", Buffer.from(`admin12:${SECRET}\n`).toString("base64")],
		["in Base64 over lines", Buffer.from(`admin:${SECRET}`).toString("base64").replace(/.{20}/g, "$&\n")],
		["broken at a space", SECRET.replace(" ", "\n    ")],
		["broken within a word", SECRET.replace("hunter2", "hun\r\n\tter2")],
		["broken in each place", [...SECRET].join("\n  ")],
	])("%s", (_, text) => {
		const mask = createMask(["other", SECRET]);
		expect(mask(`before ${text} after`)).toBe(`before ${MASKED} after`);
	});

	it("with others that it overlaps, also where one is a part of the other", () => {
		expect(createMask(["abcdef", "cdefgh"])("x abcdefgh y")).toBe(`x ${MASKED} y`);
		expect(createMask(["pass", "password"])("my password, my pass.")).toBe(`my ${MASKED}, my ${MASKED}.`);
		expect(createMask(["aaa"])("aaaaaaa")).toBe(MASKED);
	});

	it("also where nothing but Python's URLs and Base64 changes it", () => {
		const mask = createMask(["Pass(word)!/1"]);
		expect(mask("https://u:Pass%28word%29%21/1@host and q=Pass%28word%29%21%2F1")).toBe(
			`https://u:${MASKED}@host and q=${MASKED}`,
		);
		const basic = (text: string) => `Authorization: Basic ${Buffer.from(text).toString("base64")}, more`;
		for (const user of ["a", "ab", "abc", "", "operator"]) {
			expect(mask(basic(`${user}:Pass(word)!/1`))).toBe(`Authorization: Basic ${MASKED}, more`);
		}
		expect(createMask(["abc"])(`x ${Buffer.from("abc").toString("base64")} y`)).toBe(`x ${MASKED} y`);
	});

	it("wherever it is in a value", () => {
		const mask = createMask(["12345"]);
		const value = { a12345: ["12345", 12345, 1, true, null] };
		expect(maskTexts(value, mask)).toEqual({ [`a${MASKED}`]: [MASKED, 12345, 1, true, null] });
		expect(maskValues(value, mask)).toEqual({ [`a${MASKED}`]: [MASKED, MASKED, 1, true, null] });
	});
});

describe("whatever is made to cost much", () => {
	it("is masked as a whole", () => {
		const nested = Array.from({ length: 500 }, (_, n) => "a".repeat(n + 3));
		const mask = createMask(nested);
		for (const unit of ["a", "a\n", "a ", "aaaaab"]) expect(mask(unit.repeat(50_000))).not.toContain("aaa");
		expect(mask("nothing in it ".repeat(10_000))).toBe("nothing in it ".repeat(10_000));
	});

	it("gives others their turn, and finds each of many secrets", async () => {
		const secrets = Array.from({ length: 2_000 }, (_, n) => `pässword ${n} "x'`);
		let turns = 0;
		const timer = setInterval(() => turns++, 0);
		const mask = await createLargeMask(secrets);
		clearInterval(timer);
		expect(turns).toBeGreaterThan(5);
		expect(mask(`first ${secrets[0]}, last ${JSON.stringify(secrets.at(-1))}`)).toBe(
			`first ${MASKED}, last "${MASKED}"`,
		);
	});
});

describe("other text stays", () => {
	it("where white space differs without a line break, and short secrets over lines", () => {
		expect(createMask(["a secret word"])("a secretword, a  secret word")).toBe("a secretword, a  secret word");
		expect(createMask(["123"])("1\n2\n3")).toBe("1\n2\n3");
		expect(createMask(["ab", ""])("ab")).toBe("ab");
	});

	it("whatever text and secrets: nothing is left of them, nothing else is lost", () => {
		const word = fc.stringMatching(/^[A-Za-z0-9 "'\\\nü]{3,12}$/);
		fc.assert(
			fc.property(fc.array(word, { maxLength: 4 }), fc.array(fc.string(), { maxLength: 6 }), (secrets, texts) => {
				const mask = createMask(secrets);
				const seen = secrets.filter((one) => one.replace(/[ \n]/g, "").length >= 3);
				const text = texts.flatMap((one, at) => [one, secrets[at] ?? ""]).join("§");
				const masked = mask(text);
				const left = masked.replaceAll(MASKED, "§");
				for (const secret of seen) expect(left).not.toContain(secret.trim());
				if (!seen.some((one) => text.includes(one.trim()[0] ?? ""))) expect(masked).toBe(text);
			}),
		);
	});
});
