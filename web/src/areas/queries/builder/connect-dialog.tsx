/** Connects a node to another one by name: the keyboard's way to draw an edge. */
import { useState } from "react";
import { joinNodes } from "./join.ts";
import { getNode } from "./model/canvas.ts";
import { formatTitle, KIND_NAMES } from "./model/describe.ts";
import { findEdgeProblem } from "./model/edit.ts";
import { PickDialog } from "./pick-dialog.tsx";
import { useBuilderStore, useDoc } from "./store.ts";

export function ConnectDialog({ from, onClose }: { from: string; onClose(): void }) {
	const store = useBuilderStore();
	const doc = useDoc();
	const [text, setText] = useState("");
	const source = getNode(doc, from);
	if (source === undefined) return null;
	return (
		<PickDialog
			title={`Connect ${formatTitle(source)} to`}
			placeholder="Name of a node"
			text={text}
			onText={setText}
			choices={doc.nodes
				.filter(({ id }) => id !== from)
				.filter((node) =>
					`${formatTitle(node)} ${node.id} ${KIND_NAMES[node.type]}`.toLowerCase().includes(text.trim().toLowerCase()),
				)
				.map((node) => ({
					id: node.id,
					label: <span className="mono">{formatTitle(node)}</span>,
					aside: KIND_NAMES[node.type],
					problem: findEdgeProblem(doc, from, node.id),
				}))
				.sort((a, b) => Number(a.problem !== null) - Number(b.problem !== null))}
			onPick={(target) => joinNodes(store, from, target)}
			onClose={onClose}
		/>
	);
}
