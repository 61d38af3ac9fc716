/** The dialogs of the builder, of which at most one is open. */
import { useNavigate } from "@tanstack/react-router";
import type { SavedQuery, VersionAnswer } from "@weft/contracts";
import { useLater } from "../../../ui/later.ts";
import { Boundary } from "../../../ui/page.tsx";
import { AddAfterDialog } from "./add-after.tsx";
import { AddNodeDialog } from "./add-node.tsx";
import { ConnectDialog } from "./connect-dialog.tsx";
import { getContent, readDoc } from "./model/canvas.ts";
import { listVariableUses } from "./model/variables.ts";
import { useBuilder, useBuilderStore, useDoc } from "./store.ts";
import type { Edits } from "./use-edits.ts";
import type { Save } from "./use-save.ts";

/** The open dialog: by name, to connect a node, or to run on several controllers of a group. */
export type Overlay =
	| "add"
	| "save"
	| "copy"
	| "variables"
	| "paste"
	| "versions"
	| { readonly connect: string }
	| { readonly several: string | null }
	| null;

interface OverlaysProps {
	readonly overlay: Overlay;
	readonly saved: SavedQuery | null;
	/** The saved query, where the canvas is the same. */
	readonly unchanged: SavedQuery | null;
	readonly coming: VersionAnswer | undefined;
	readonly save: Save;
	readonly edits: Edits;
	onRun(values: Record<string, string>): void;
	onClose(): void;
}

export function Overlays({ overlay, saved, unchanged, coming, save, edits, onRun, onClose }: OverlaysProps) {
	const navigate = useNavigate();
	const doc = useDoc();
	const isConnecting = typeof overlay === "object" && overlay !== null && "connect" in overlay;
	const isGrouping = typeof overlay === "object" && overlay !== null && "several" in overlay;
	const isSaving = overlay === "save" || overlay === "copy";
	const saveDialog = useLater(() => import("./save-dialog.tsx"), isSaving);
	const variables = useLater(() => import("./variables-dialog.tsx"), overlay === "variables");
	const groupRun = useLater(() => import("../../fabrics/groups/start.tsx"), isGrouping);
	const versions = useLater(() => import("./versions-dialog.tsx"), overlay === "versions");
	const paste = useLater(() => import("./paste-dialog.tsx"), overlay === "paste");
	const store = useBuilderStore();
	const adding = useBuilder((state) => state.adding);
	return (
		<Boundary isNoticed resetKey={JSON.stringify(overlay ?? adding)}>
			{adding && <AddAfterDialog {...adding} edits={edits} onClose={() => store.setState({ adding: null })} />}
			{overlay === "paste" && paste && (
				<paste.PasteDialog onUse={(canvas, values) => edits.replace(readDoc(canvas, [], values))} onClose={onClose} />
			)}
			{overlay === "add" && (
				<AddNodeDialog
					parent={edits.below === null ? null : String(edits.below.data.className)}
					onAdd={edits.add}
					onFollow={edits.follow}
					onClose={onClose}
				/>
			)}
			{isConnecting && <ConnectDialog from={overlay.connect} onClose={onClose} />}
			{isGrouping && groupRun && (
				<groupRun.StartGroupRun
					query={unchanged?.id ?? getContent(doc)}
					group={overlay.several}
					onStarted={({ id }) => void navigate({ to: "/runs/groups/$id", params: { id } })}
					onClose={onClose}
				/>
			)}
			{isSaving && saveDialog && (
				<saveDialog.SaveDialog
					saved={overlay === "copy" || !save.canSave ? null : saved}
					guard={save.guard}
					content={getContent(doc)}
					coming={coming}
					onSaved={save.accept}
					onClose={onClose}
				/>
			)}
			{overlay === "variables" && variables && (
				<variables.VariablesDialog
					variables={doc.variables}
					uses={listVariableUses(doc)}
					onRun={onRun}
					onClose={onClose}
				/>
			)}
			{overlay === "versions" && saved && versions && (
				<versions.VersionsDialog
					saved={saved}
					onOpen={(version) => void navigate({ to: "/builder/$id", params: { id: saved.id }, search: { version } })}
					onRestored={({ id }) =>
						void navigate({ to: "/builder/$id", params: { id }, reloadDocument: false }).then(() => location.reload())
					}
					onClose={onClose}
				/>
			)}
		</Boundary>
	);
}
