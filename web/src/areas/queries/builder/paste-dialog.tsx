/** Makes a canvas of a pasted request: a URL, or a moquery, icurl or curl command. */
import type { ImportedRequest } from "@weft/contracts";
import { requestImportRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { findProblem } from "../../../platform/problem.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { AreaField } from "../../../ui/field.tsx";
import { Banner } from "../../../ui/page.tsx";
import { showToast } from "../../../ui/toast.tsx";

interface PasteDialogProps {
	onUse(canvas: unknown, variables: readonly unknown[]): void;
	onClose(): void;
}

export function PasteDialog({ onUse, onClose }: PasteDialogProps) {
	const [text, setText] = useState("");
	const [refused, setRefused] = useState<ImportedRequest | null>(null);
	const read = useAction(() => callRoute(requestImportRoutes.import, { body: { text } }), {
		onSuccess({ results }) {
			const [found] = results;
			if (found === undefined || found.flow_data === null) {
				setRefused(found ?? null);
				return;
			}
			onClose();
			onUse(found.flow_data, found.variables);
			if (found.unsupported.length > 0) showToast(found.unsupported.join(" "));
		},
	});
	const problem = read.error === null ? null : findProblem(read.error);
	return (
		<Dialog
			open
			title="Paste a URL"
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						busy={read.isPending}
						disabled={text.trim() === ""}
						onClick={() => read.mutate(undefined)}
					>
						Draw it
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3">
				<AreaField
					mono
					label="Request"
					hint="A URL of the controller, or a moquery, icurl or curl command"
					rows={4}
					value={text}
					spellCheck={false}
					placeholder="/api/class/fvBD.json?query-target-filter=eq(fvBD.name,&quot;web&quot;)"
					onChange={(event) => {
						setText(event.target.value);
						setRefused(null);
					}}
				/>
				{problem && (
					<Banner
						tone="bad"
						title={problem.fields.text ?? problem.title}
						detail={problem.fields.text ? "" : problem.detail}
					/>
				)}
				{refused && <Banner tone="bad" title="No canvas can represent this." detail={refused.unsupported.join(" ")} />}
			</div>
		</Dialog>
	);
}
