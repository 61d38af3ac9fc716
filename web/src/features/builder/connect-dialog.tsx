/** Joins a node to another one by name: what a mouse does by drawing. */
import { savedQueryRoutes } from "@weft/contracts";
import { send } from "../../platform/call.ts";
import { nodeOf } from "./model/canvas.ts";
import { KIND_NAMES, titleOf } from "./model/describe.ts";
import { connect, problemOfEdge } from "./model/edit.ts";
import { PickDialog } from "./pick-dialog.tsx";
import { useBuilderStore, useDoc } from "./store.ts";

export function ConnectDialog({ from, onClose }: { from: string; onClose(): void }) {
	const store = useBuilderStore();
	const doc = useDoc();
	const source = nodeOf(doc, from);
	if (source === undefined) return null;
	const join = (target: string) => {
		const { edit, say } = store.getState();
		edit((now) => connect(now, from, target));
		const to = nodeOf(doc, target);
		say(`Joined ${titleOf(source)} to ${to ? titleOf(to) : ""}`);
		if (to?.type === "classNode" && source.type === "classNode") {
			void warn(String(source.data.className), String(to.data.className), say);
		}
	};
	return (
		<PickDialog
			title={`Connect ${titleOf(source)} to`}
			placeholder="Name of a node"
			choicesFor={(text) =>
				doc.nodes
					.filter(({ id }) => id !== from)
					.filter((node) =>
						`${titleOf(node)} ${node.id} ${KIND_NAMES[node.type]}`.toLowerCase().includes(text.trim().toLowerCase()),
					)
					.map((node) => ({
						id: node.id,
						label: <span className="mono">{titleOf(node)}</span>,
						aside: KIND_NAMES[node.type],
						problem: problemOfEdge(doc, from, node.id),
					}))
					.sort((a, b) => Number(a.problem !== null) - Number(b.problem !== null))
			}
			onPick={join}
			onClose={onClose}
		/>
	);
}

/** The loaded class model may know that one class never contains the other. */
async function warn(parentClass: string, childClass: string, say: (text: string) => void): Promise<void> {
	const verdict = await send(savedQueryRoutes.validateConnection, { body: { parentClass, childClass } }).catch(
		() => null,
	);
	if (verdict && !verdict.isValid) say(verdict.message);
}
