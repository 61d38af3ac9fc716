/** Export of the person's objects into one YAML file, by kind. */
import type { FileKind } from "@weft/contracts";
import { queryFileRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { useAnswer } from "../../../platform/call.ts";
import { formatCount, formatPlural } from "../../../platform/format.ts";
import { saveFile } from "../../../platform/save-file.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { CheckField } from "../../../ui/field.tsx";
import { Empty, Loaded } from "../../../ui/page.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { EXPORT_KINDS, getFilesOfKind, joinDocuments } from "./query-files.ts";

interface ExportDialogProps {
	onClose(): void;
}

export function ExportDialog({ onClose }: ExportDialogProps) {
	const answer = useAnswer(queryFileRoutes.export, undefined, { staleTime: 0 });
	const [excluded, setExcluded] = useState<ReadonlySet<FileKind>>(new Set());
	const files = answer.data?.files ?? [];
	const chosen = EXPORT_KINDS.flatMap(([kind]) => (excluded.has(kind) ? [] : getFilesOfKind(files, kind)));
	const save = () => {
		saveFile("weft-objects.yaml", "application/yaml", joinDocuments(chosen));
		showToast(`${formatPlural(chosen.length, "object", "objects")} exported`);
		onClose();
	};
	return (
		<Dialog
			open
			title="Export as YAML"
			description="Your own objects as one file. Import it here, or apply it with the command line. It holds no secrets."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" disabled={chosen.length === 0} onClick={save}>
						Export
					</Button>
				</>
			}
		>
			<Loaded answer={answer} lines={6}>
				{() =>
					files.length === 0 ? (
						<Empty>You own no objects yet.</Empty>
					) : (
						<div className="flex flex-col gap-1.5">
							{EXPORT_KINDS.map(([kind, label]) => {
								const count = getFilesOfKind(files, kind).length;
								return (
									<CheckField
										key={kind}
										label={`${label} (${formatCount(count)})`}
										disabled={count === 0}
										checked={count > 0 && !excluded.has(kind)}
										onChange={(event) => {
											const next = new Set(excluded);
											if (event.target.checked) next.delete(kind);
											else next.add(kind);
											setExcluded(next);
										}}
									/>
								);
							})}
						</div>
					)
				}
			</Loaded>
		</Dialog>
	);
}
