/** Scalars of files that YAML takes for numbers or booleans, where texts are meant. */

import { describe, expect, it } from "vitest";
import { getErrors, readDocument } from "../../../../test/support/read-documents.ts";
import type { QueryContent } from "./documents.ts";
import { writeYaml } from "./yaml.ts";

describe("scalars where texts are meant", () => {
	const plain = [
		"012",
		"0100",
		"5.20",
		"1e3",
		"0x1F",
		"0o17",
		"1.0",
		"+5",
		"-0",
		".5",
		"12345678901234567890",
		"True",
		"FALSE",
		"12",
		"true",
		"1_000",
		"12:30",
	];

	/** Numbers and booleans are refused as patterns, with their line. */
	const quoteTyped = (text: string): string => (/^(?:12|true)$/.test(text) ? `"${text}"` : text);

	/** The text of a value that is a text, a number or a boolean, and of the values of a list. */
	const spell = (value: unknown): unknown => (Array.isArray(value) ? value.map(spell) : String(value));

	it("keep their source text in filters, patterns, conditions, variables and post-processors", () => {
		for (const text of plain) {
			const { document } = readDocument(`kind: query
name: Q
flow_data:
  nodes:
    - { id: a, type: classNode, data: { className: fvTenant } }
    - { id: f, type: filterNode, data: { property: name, value: ${text} } }
    - { id: g, type: filterNode, data: { property: name, operator: bw, value: [${text}, ${text}] } }
    - id: h
      type: filterNode
      data:
        filterType: query-target-filter
        groupCombineOperator: and
        patternGroups: [{ logicalOperator: and, patterns: [{ property: name, type: exact, pattern: ${quoteTyped(text)} }] }]
  edges: [{ source: a, target: f }, { source: f, target: g }, { source: g, target: h }]
post_processors:
  - { type: filter_rows, config: { conditions: [{ field: name, operator: eq, value: ${text} }] } }
variables:
  - { id: v, label: V, type: select, defaultValue: ${quoteTyped(text)}, options: [${text}] }
`) as { document: QueryContent };
			const { nodes } = document.flow_data as { nodes: { data: { value: unknown; patternGroups: unknown } }[] };
			const [{ config }] = document.post_processors as [{ config: { conditions: [{ value: unknown }] } }];
			const [variable] = document.variables as [{ defaultValue: unknown; options: { value: unknown }[] }];
			expect([
				spell(nodes[1]?.data.value),
				spell(nodes[2]?.data.value),
				nodes[3]?.data.patternGroups,
				spell(config.conditions[0].value),
				spell(variable.defaultValue),
				spell(variable.options[0]?.value ?? variable.options[0]),
			]).toEqual([
				text,
				[text, text],
				[{ logicalOperator: "and", patterns: [{ property: "name", type: "exact", pattern: text }] }],
				text,
				text,
				text,
			]);
		}
	});

	it("keep their source text in checks, schedules, tags and keys", () => {
		const check = readDocument(`kind: check
name: C
saved_query: Q
type: each_row
config: { conditions: [{ field: name, operator: eq, value: 0100 }] }
`);
		expect(check.document).toMatchObject({ config: { conditions: [{ value: "0100" }] } });
		const schedule = readDocument(`kind: schedule
name: 012
saved_query: 0x1F
frequency: daily
controller_connections: [1e3]
variable_values: { 0x10: 5.20 }
`);
		expect(schedule.document).toMatchObject({
			name: "012",
			saved_query: "0x1F",
			controller_connections: ["1e3"],
			variable_values: { "0x10": "5.20" },
		});
		const query = readDocument("kind: query\nname: 1.0\nflow_data: { nodes: [], edges: [] }\ntags_list: [012, 1e3]\n");
		expect(query.document).toMatchObject({ name: "1.0", tags_list: ["012", "1e3"] });
	});

	it("are refused with their line where a number or a boolean is meant", () => {
		const canvas =
			"flow_data: { nodes: [{ id: a, type: classNode, data: { className: fvTenant, limit: 1e3 } }], edges: [] }";
		expect(getErrors(`kind: query\nname: a\n${canvas}\n`)).toEqual([
			"3: flow_data.nodes.0.data.limit: Must be a whole number from 1 to 1000000.",
		]);
		expect(getErrors("kind: query\nname: a\nflow_data: { nodes: [], edges: [] }\nis_public: True\n")).toEqual([
			"4: is_public: Must be true or false.",
		]);
	});

	it("are quoted where readers of YAML 1.1 or 1.2 take a text for another type", () => {
		const texts = [
			"no",
			"Yes",
			"on",
			"12:30",
			"1_000",
			"<<",
			"=",
			"2026-01-01",
			"2026-01-01 12:00:00",
			"0b1",
			"012",
			"1e3",
			"-0o7",
			"~",
			"Null",
			".inf",
			"190:20:30",
		];
		const lines = writeYaml({ texts, ...Object.fromEntries(texts.map((text) => [text, 1])) })
			.trim()
			.split("\n");
		const expected = texts.map((text) => `  - "${text}"`);
		expect(lines).toEqual(["texts:", ...expected, ...texts.map((text) => `"${text}": 1`)]);
		expect(writeYaml({ y: "y" })).toBe('y: "y"\n');
		expect(writeYaml(["plain text", "fvBD", "uni/tn-a"])).toBe("- plain text\n- fvBD\n- uni/tn-a\n");
	});
});
