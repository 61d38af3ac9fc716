import fc from "fast-check";
import { expect, it } from "vitest";
import { readFlow } from "../../saved-queries/domain/flow-validation.ts";
import { compile } from "./compile.ts";
import { essenceOf } from "./essence.ts";
import { canvases } from "./testing/canvases.ts";

it("drops what is drawn and nothing that counts", () => {
	let compared = 0;
	fc.assert(
		fc.property(canvases, fc.string(), (canvas, junk) => {
			const plain = readFlow(canvas);
			const drawn = readFlow({
				nodes: canvas.nodes.map((node) => ({ ...node, position: junk, data: { ...node.data, label: junk } })),
				edges: canvas.edges.map((edge) => ({ ...edge, style: junk, data: { ...edge.data, colour: junk } })),
				viewport: junk,
			});
			fc.pre(plain.ok && drawn.ok);
			if (!plain.ok || !drawn.ok) return;
			compared += 1;
			expect(compile(essenceOf(drawn.value))).toEqual(compile(essenceOf(plain.value)));
			expect(essenceOf(drawn.value)).toEqual(essenceOf(plain.value));
			expect(compile(essenceOf(plain.value))).toEqual(compile(plain.value));
		}),
	);
	expect(compared).toBeGreaterThan(50);
});
