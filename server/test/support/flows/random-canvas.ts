/** Random canvases over the classes of the random fabrics. */
import fc from "fast-check";
import type { Canvas } from "./naive-evaluation.ts";
import { CLASSES, NUMBERS, texts } from "./random-fabric.ts";

const property = fc.constantFrom("name", "name", "name", "descr", "size", "ip", "tDn", "id", "dn");
const filterData = fc.oneof(
	fc.record({
		filterType: fc.constant("property"),
		property: fc.constant("name"),
		operator: fc.constantFrom("eq", "contains"),
		value: fc.constantFrom("a", "b", "web-1"),
	}),
	fc.record({
		filterType: fc.constant("property"),
		property: fc.constant("size"),
		operator: fc.constantFrom("ne", "le"),
		value: fc.constantFrom(...NUMBERS),
	}),
	fc.record({
		filterType: fc.constant("property"),
		property,
		operator: fc.constantFrom("eq", "eq", "eq", "ne", "contains", "gt", "le"),
		value: texts,
	}),
	fc.record({
		filterType: fc.constant("property"),
		property: fc.constant("size"),
		operator: fc.constant("bw"),
		value: fc.tuple(fc.constantFrom(...NUMBERS), fc.constantFrom(...NUMBERS)),
	}),
	fc.record({
		filterType: fc.constant("property"),
		property,
		operator: fc.constant("wcard"),
		value: fc.constantFrom("^a", "b$", "[0-9]+", "a.b", "web-(1|x)"),
	}),
	fc.record({
		filterType: fc.constant("query-target-filter"),
		groupCombineOperator: fc.constantFrom("and", "or", "xor"),
		patternGroups: fc.array(
			fc.record({
				logicalOperator: fc.constantFrom("and", "or", "xor"),
				patterns: fc.array(
					fc.record({
						property,
						pattern: texts,
						type: fc.constantFrom("starts", "ends", "contains", "exact"),
						negate: fc.boolean(),
					}),
					{ minLength: 1, maxLength: 3 },
				),
			}),
			{ minLength: 1, maxLength: 2 },
		),
	}),
);
const WAYS = [
	["fvTenant", "fvAp", "fvAEPg", "fvSubnet"],
	["fvTenant", "fvBD", "fvSubnet", "zzThing"],
	["fvTenant", "fvAEPg", "fvCEp", "fvIp"],
	["fvAEPg", "fvRsPathAtt"],
	["fabricPod", "fabricNode", "topSystem", "l1PhysIf"],
	["fvTenant", "zzThing", "zzThing", "fvCEp"],
];
const pickEntry = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/**
 * Stages of chains and forks; each class may have filters, later stages take values of earlier
 * ones.
 */
export const canvases: fc.Arbitrary<Canvas> = fc
	.record({
		stages: fc.array(
			fc.record({
				way: fc.nat(),
				from: fc.nat(2),
				length: fc.integer({ min: 1, max: 3 }),
				fork: fc.option(fc.nat(), { freq: 3 }),
				filters: fc.array(fc.record({ at: fc.constantFrom(0, 0, 1, 2), data: filterData }), { maxLength: 3 }),
				scope: fc.option(fc.constantFrom("children", "subtree"), { freq: 3, nil: undefined }),
				limit: fc.option(
					fc.record({ limit: fc.integer({ min: 1, max: 3 }), orderBy: fc.constantFrom(undefined, "name", "-size") }),
					{ freq: 4, nil: undefined },
				),
			}),
			{ minLength: 1, maxLength: 3 },
		),
		pipes: fc.array(
			fc.record({
				from: fc.nat(),
				to: fc.nat(5),
				edge: fc.record({
					injectAs: fc.constantFrom("filter_values", "dn_scope", "iterate"),
					field: fc.constantFrom(["dn", "dn"], ["dn", "dn"], ["name", "name"], ["size", "size"], ["dn", "name"]),
				}),
			}),
			{ maxLength: 4 },
		),
	})
	.map(({ stages, pipes }) => {
		const canvas: Canvas = { nodes: [], edges: [] };
		const members: string[][] = [];
		const link = (source: string, target: string, data: Record<string, unknown> = {}) =>
			canvas.edges.push({ id: `e${canvas.edges.length}`, source, target, data });
		for (const [s, stage] of stages.entries()) {
			const way = pickEntry(WAYS, stage.way);
			const from = Math.min(stage.from, way.length - 1);
			const ids = way.slice(from, from + stage.length).map((className, i, all) => {
				const id = `s${s}c${i}`;
				const last = i === all.length - 1;
				const options = { ...(last && stage.scope ? { scope: stage.scope } : last ? { ...stage.limit } : {}) };
				canvas.nodes.push({ id, type: "classNode", data: { className, ...options } });
				if (i > 0) link(`s${s}c${i - 1}`, id);
				return id;
			});
			if (stage.fork !== null) {
				const id = `s${s}fork`;
				canvas.nodes.push({ id, type: "classNode", data: { className: pickEntry(CLASSES, stage.fork) } });
				link(id, pickEntry(ids, stage.fork));
				ids.push(id);
			}
			for (const [f, filter] of stage.filters.entries()) {
				const id = `s${s}f${f}`;
				canvas.nodes.push({ id, type: "filterNode", data: filter.data });
				link(pickEntry(ids, filter.at), id);
			}
			members.push(ids);
		}
		for (const { from, to, edge } of pipes) {
			const target = 1 + (to % 2);
			const source = (from >> 2) % target;
			const [a, b] = [members[source], members[target]];
			if (a && b)
				link(pickEntry(a, from), pickEntry(b, to), {
					edgeType: "pipeline",
					injectAs: edge.injectAs,
					extractField: edge.field[0],
					injectProperty: edge.field[1],
				});
		}
		return canvas;
	});
