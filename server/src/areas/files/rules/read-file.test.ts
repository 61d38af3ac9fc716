/** Files of queries: a written file reads as the same document, and errors name their lines. */
import { DEFAULT_DRIFT_RULES } from "@weft/contracts";
import { buildSlug } from "@weft/contracts/slug";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getErrors, readDocument } from "../../../../test/support/read-documents.ts";
import { computeFingerprint, getMembers, listChangedFields, type QueryContent } from "./documents.ts";
import { createPaths } from "./paths.ts";
import { readFile } from "./read-file.ts";
import { writeYaml } from "./yaml.ts";

const writeQuery = (document: QueryContent): string => writeYaml(getMembers({ kind: "query", ...document }));

const text = fc.oneof(
	fc.string({ unit: "binary", maxLength: 20 }).filter((value) => value.isWellFormed() && !value.includes("\0")),
	fc.constantFrom(
		"yes",
		"null",
		"~",
		"1.0",
		"0x1f",
		"- a",
		"a: b",
		"#x",
		" lead",
		"trail ",
		"a\n\nb\n",
		"\t",
		"\r\n",
		"'\"",
		"2026-01-01",
	),
);
const json = fc
	.jsonValue({ maxDepth: 3 })
	.map((value) => JSON.parse(JSON.stringify(value).replaceAll("\\u0000", "x")) as unknown)
	.filter((value) => JSON.stringify(value).isWellFormed());
const drawn = fc.dictionary(fc.constantFrom("position", "width", "style", "selected"), json, { maxKeys: 3 });
const document = fc
	.record({
		name: fc.string({ minLength: 1, maxLength: 20 }).filter((name) => name.trim() === name && name !== ""),
		description: text,
		category: fc.option(fc.constantFrom("Fabric", "123")),
		tags_list: fc.uniqueArray(fc.constantFrom("a", "yes", "1"), { maxLength: 3 }),
		is_public: fc.boolean(),
		is_template: fc.boolean(),
		enable_time_machine: fc.boolean(),
		drift_rules: fc.record({
			ignore: fc.subarray(["descr", "fvBD.mtu", "*Ts"]),
			ignore_volatile: fc.boolean(),
			ignore_classes: fc.subarray(["fvCtx"]),
			ignore_dns: fc.subarray(["^uni/", "a:b"]),
			severity: fc.dictionary(fc.constantFrom("fvBD", "yes"), fc.constantFrom("info" as const, "critical" as const)),
			treat_as_set: fc.subarray(["ctrl"]),
		}),
		ids: fc.uniqueArray(fc.constantFrom("1", "10", "2", "__proto__", "constructor", "n é", "a: b"), { maxLength: 5 }),
		value: text.map((value) => value.replaceAll("$", "")),
		looks: fc.array(drawn, { minLength: 5, maxLength: 5 }),
		data: fc.dictionary(fc.constantFrom("label", "color", "note"), json, { maxKeys: 2 }),
		viewport: fc.option(fc.record({ x: fc.integer(), y: fc.integer(), zoom: fc.integer() }), { nil: undefined }),
	})
	.map(({ ids, value, looks, data, viewport, ...fields }): QueryContent => {
		const classes = ids.map((id, i) => ({
			...looks[i],
			id,
			type: i % 2 === 0 ? "classNode" : "class",
			data: { className: "fvTenant", limit: 5, ...data },
		}));
		const first = ids[0];
		const filters = first === undefined ? [] : [{ id: "f", type: "filterNode", data: { property: "name", value } }];
		const edges = [
			...ids.slice(1).map((id, i) => ({ id: `e${i}`, source: ids[i], target: id, data: {}, animated: true })),
			...filters.map(() => ({ id: `${first}-f`, source: first, target: "f", ...looks[0] })),
		];
		const flow_data = { nodes: [...classes, ...filters], edges, ...(viewport === undefined ? {} : { viewport }) };
		const post_processors = [{ type: "array-sort", config: { field: "name" } }];
		return JSON.parse(JSON.stringify({ ...fields, flow_data, post_processors, variables: [] }));
	});

const KINDS = "query, schedule, check, connection, change_plan, calendar_entry";

describe("a file of a query", () => {
	it("is the same after it was read and written", () => {
		fc.assert(
			fc.property(document, (given) => {
				const once = writeQuery(given);
				const file = readDocument(once);
				if (file.kind !== "query") throw new Error("no query");
				expect(writeQuery(file.document)).toBe(once);
				expect(file.fingerprint).toBe(computeFingerprint(given, file.hasLayout));
				if (file.hasLayout) expect(listChangedFields(given, file.document)).toEqual(new Set());
			}),
			{ numRuns: 300 },
		);
	});

	it("begins with its kind and ends with the layout, and does not depend on the order of nodes", () => {
		const node = (id: string, x: number) => ({
			id,
			type: "classNode",
			position: { x, y: 0 },
			data: { label: "T", className: "fvTenant" },
		});
		const query = (...nodes: object[]): QueryContent => ({
			name: "Tenants",
			description: "",
			category: null,
			tags_list: [],
			is_public: false,
			is_template: false,
			enable_time_machine: false,
			connection_group: null,
			drift_rules: DEFAULT_DRIFT_RULES,
			flow_data: { nodes, edges: [{ source: "a", id: "a-b", target: "b" }], viewport: { zoom: 1 } },
			post_processors: [],
			variables: [],
		});
		const file = writeQuery(query(node("b", 2), node("a", 1)));
		expect(file).toBe(`kind: query
description: ""
enable_time_machine: false
flow_data:
  edges:
    - source: a
      target: b
  nodes:
    - data:
        className: fvTenant
      id: a
      type: classNode
    - data:
        className: fvTenant
      id: b
      type: classNode
is_public: false
is_template: false
name: Tenants
post_processors: []
tags_list: []
variables: []
layout:
  nodes:
    a:
      data:
        label: T
      position:
        x: 1
        y: 0
    b:
      data:
        label: T
      position:
        x: 2
        y: 0
  viewport:
    zoom: 1
`);
		expect(writeQuery(query(node("a", 1), node("b", 2)))).toBe(file);
		const moved = writeQuery(query(node("a", 7), node("b", 2)));
		const [before, after] = [file, moved].map((one) => one.slice(0, one.indexOf("layout:")));
		expect(after).toBe(before);
	});

	it("has layout that cannot change the result", () => {
		const file = readDocument(`kind: query
name: Q
flow_data: { nodes: [{ id: a, type: classNode, data: { className: fvTenant } }], edges: [] }
layout: { nodes: { a: { id: b, type: outputNode, data: { limit: 1, className: fvBD, label: x } }, gone: { x: 1 } } }
`);
		expect(file.document).toMatchObject({
			flow_data: {
				nodes: [{ id: "a", type: "classNode", data: { className: "fvTenant", label: "x" } }],
				edges: [],
			},
		});
		expect(JSON.stringify(file.document)).not.toContain("limit");
	});
});

describe("errors", () => {
	const canvas = `flow_data:
  nodes:
    - id: a
      type: classNode
      data:
        className: fvTenant
  edges: []
`;
	it.each<[string, string, string[]]>([
		["an empty file", "", [`1: Must be a mapping that begins with kind: and one of ${KINDS}.`]],
		["a list", "- a", [`1: Must be a mapping that begins with kind: and one of ${KINDS}.`]],
		["no kind", "name: x\n", [`1: The key "kind" is required. Kinds: ${KINDS}.`]],
		["another kind", "\nkind: group\n", [`2: Unknown kind. Kinds: ${KINDS}.`]],
		["a key twice", `kind: query\nname: a\n${canvas}name: b\n`, ['10: The key "name" occurs twice.']],
		[
			"an unknown key, and a missing one",
			`kind: query\n${canvas}colour: red\n`,
			["1: name: This key is required.", '9: There is no key "colour".'],
		],
		["a wrong value", `kind: query\nname: a\nis_public: maybe\n${canvas}`, [expect.stringMatching(/^3: is_public: /)]],
		[
			"a wrong class",
			`kind: query\nname: a\n${canvas.replace("fvTenant", '"fv Tenant"')}`,
			["8: flow_data.nodes.0.data.className: Must be a class name such as fvTenant."],
		],
		[
			"an alias",
			`kind: query\nname: &n a\ndescription: *n\n${canvas}`,
			["3: Aliases are not supported. Write the value out."],
		],
		["a tag", `kind: query\nname: !secret a\n${canvas}`, [expect.stringMatching(/^2: Unresolved tag/)]],
		[
			"two documents",
			"kind: query\n---\nkind: query\n",
			["2: A file holds one document. Put what follows the line --- into a file of its own."],
		],
		["a tab", "kind: query\n\tname: a\n", ["2: Tabs are not allowed as indentation."]],
		["NUL", `kind: query\nname: "a\\0"\n${canvas}`, ["2: Must not contain NUL or unpaired surrogate characters."]],
		[
			"infinity",
			`kind: query\nname: a\n${canvas.replace("fvTenant", "fvTenant\n        limit: .inf")}`,
			[expect.stringMatching(/^9: /)],
		],
		[
			"layout in the canvas",
			`kind: query\nname: a\n${canvas}  viewport: {}\n`,
			[expect.stringMatching(/^3: flow_data: Must have/)],
		],
		[
			"elements that are none",
			"kind: query\nname: a\nflow_data: { nodes: [1, null], edges: [x] }\n",
			expect.arrayContaining([expect.stringMatching(/^3: flow_data/)]),
		],
		[
			"a schedule without connections",
			"kind: schedule\nname: a\nsaved_query: b\nfrequency: daily\ncontroller_connections: []\n",
			["5: controller_connections: Name at least one connection."],
		],
	])("of %s", (_what, content, expected) => expect(getErrors(content)).toEqual(expected));

	it("are at most 20, and deep or broken files are refused", () => {
		const nodes = Array.from({ length: 50 }, (_, i) => `    - { id: n${i}, type: magic }`).join("\n");
		expect(getErrors(`kind: query\nname: a\nflow_data:\n  edges: []\n  nodes:\n${nodes}\n`)).toHaveLength(20);
		for (const broken of ["[".repeat(50_000), "- ".repeat(50_000), '"', "a: [", "{".repeat(20_000)]) {
			expect(getErrors(broken).length).toBeGreaterThan(0);
		}
	});

	it("of arbitrary text are errors and no crash", () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 200 }), (content) => {
				expect(readFile(content).ok).toBe(false);
			}),
			{ numRuns: 200 },
		);
	});
});

describe("paths", () => {
	it("follow from names", () => {
		expect(buildSlug("Ünïcode — BDs of (prod)")).toBe("unicode-bds-of-prod");
		expect(buildSlug("../../etc/passwd")).toBe("etc-passwd");
		expect(buildSlug("東京")).toBe("unnamed");
		const getPath = createPaths();
		expect(getPath("query", "Tenants")).toBe("queries/tenants.yaml");
		expect(getPath("schedule", "Tenants")).toBe("schedules/tenants.yaml");
		expect(getPath("query", "TENANTS")).toMatch(/^queries\/tenants-[0-9a-f]{8}\.yaml$/);
		expect(getPath("query", "TENANTS")).toMatch(/^queries\/tenants-[0-9a-f]{8}-2\.yaml$/);
	});
});
