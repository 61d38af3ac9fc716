/** For random objects, a join gives what comparing each object with each other gives. */
import type { PostProcessorConfig } from "@weft/contracts";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Row } from "../../../../../core/rows/rows.ts";
import { readPostProcessors } from "../../../../queries/flow/rules/validation.ts";
import { isBelow } from "../dn.ts";
import { createProcessorChain } from "./index.ts";

type Attributes = Readonly<Record<string, string>>;
type Join = PostProcessorConfig<"join">;
type Attachment = Join["attach"][number];

const CLASSES = ["fvA", "fvB", "fvC"];
const FIELDS = ["dn", "tDn", "name", "other"];
/** Short, so that many DNs lie below others, and some look as if they did. */
const dns = fc
	.array(fc.constantFrom("a", "a-b", "s-[x/y]", "s-[x"), { minLength: 1, maxLength: 4 })
	.map((rns) => ["uni", ...rns].join("/"))
	.filter((dn) => dn.split("[").length === dn.split("]").length);
const values = fc.constantFrom("", "", "x", "y", "z");

interface Drawn {
	readonly className: string;
	readonly attributes: Attributes;
}
const objects = fc
	.uniqueArray(
		fc.record({
			className: fc.constantFrom(...CLASSES),
			attributes: fc.record(
				{ dn: dns, tDn: fc.oneof(dns, fc.constant("")), name: values, other: values },
				{ requiredKeys: ["dn"] },
			),
		}),
		{ minLength: 10, maxLength: 25, size: "max", selector: ({ attributes }) => attributes.dn },
	)
	.map((list) => list as Drawn[]);

const field = fc.constantFrom(...FIELDS);
const attachments = fc
	.array(
		fc.record({
			class: fc.constantFrom(...CLASSES),
			by: fc.oneof(
				fc.constantFrom("child" as const, "parent" as const, "relation" as const),
				fc.record({ base: fc.oneof(field, fc.constantFrom("as0", "as1")), other: field }),
			),
			fields: fc.array(field, { minLength: 1, maxLength: 2 }),
			many: fc.constantFrom("rows" as const, "list" as const, "count" as const, "first" as const),
			inner: fc.boolean(),
		}),
		{ minLength: 1, maxLength: 3 },
	)
	.map((list): Attachment[] => {
		let next = 0;
		return list.map(({ fields, ...rest }) => ({
			...rest,
			fields: fields.map((name) => ({ field: name, as: `as${next++}` })),
		}));
	});

function isPartner(by: Attachment["by"], base: Attributes, other: Attributes): boolean {
	const [dn = "", otherDn = ""] = [base.dn, other.dn];
	if (by === "child") return isBelow(otherDn, dn);
	if (by === "parent") return isBelow(dn, otherDn);
	if (by === "relation") return other.tDn === dn || base.tDn === otherDn;
	return (base[by.base] ?? "") !== "" && base[by.base] === other[by.other];
}

function joinNaively(drawn: readonly Drawn[], { base, attach }: Join): Attributes[] {
	let made = drawn.filter(({ className }) => className === base).map(({ attributes }) => attributes);
	for (const { class: attached, by, fields, many, inner } of attach) {
		made = made.flatMap((row) => {
			const all = drawn
				.filter(({ className, attributes }) => className === attached && isPartner(by, row, attributes))
				.map(({ attributes }) => attributes)
				.sort((a, b) => ((a.dn ?? "") < (b.dn ?? "") ? -1 : 1));
			const found = by === "parent" ? all.slice(-1) : all;
			const add = (getValue: (name: string) => string): Attributes => ({
				...row,
				...Object.fromEntries(fields.map(({ field: name, as }) => [as, getValue(name)])),
			});
			if (found.length === 0) return inner ? [] : [add(() => (many === "count" ? "0" : ""))];
			if (many === "count") return [add(() => `${found.length}`)];
			if (many === "first") return [add((name) => found[0]?.[name] ?? "")];
			if (many === "rows") return found.map((partner) => add((name) => partner[name] ?? ""));
			const list = (name: string) =>
				[...new Set(found.map((partner) => partner[name] ?? ""))].filter(Boolean).join(", ");
			return [add(list)];
		});
	}
	return made;
}

it("gives what a naive join gives", { timeout: 20_000 }, () => {
	const seen = new Map<string, number>();
	fc.assert(
		fc.property(objects, fc.constantFrom(...CLASSES), attachments, (drawn, base, attach) => {
			const config: Join = { base, attach };
			const read = readPostProcessors([{ type: "join", config }]);
			if (!read.ok) throw new Error(JSON.stringify(read.errors));
			const { all } = createProcessorChain(read.value);
			const rows = drawn.map(({ className, attributes }): Row => ({ [className]: { attributes } }));
			const made = [...(all?.(rows) ?? [])].map((row) => (row[base] as { attributes: Attributes }).attributes);
			expect(made).toEqual(joinNaively(drawn, config));
			const [{ by, many } = { by: "child", many: "rows" }] = attach;
			const kind = `${typeof by === "object" ? "fields" : by} ${many}`;
			if (made.some(({ as0 = "" }) => as0 !== "" && as0 !== "0")) seen.set(kind, (seen.get(kind) ?? 0) + 1);
		}),
		{ numRuns: 1_500 },
	);
	// Every way to find partners with every way to combine them.
	expect(seen.size).toBe(16);
	for (const [kind, times] of seen) expect([kind, times >= 3]).toEqual([kind, true]);
});
