/** Adds the check of a template: how often it runs, on which fabrics, and whom its alerts reach. */
import type { Check, CheckTemplate } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useWatching, WatchFields, WatchProblem } from "./watch-fields.tsx";

interface InstallProps {
	readonly template: CheckTemplate;
	onInstalled(check: Check): void;
	onClose(): void;
}

export function InstallDialog({ template: { key, name }, onInstalled, onClose }: InstallProps) {
	const { watching, set, buildBody } = useWatching();
	const install = useAction(async () => callRoute(checkRoutes.install, { params: { key }, body: await buildBody() }), {
		stale: ["checks", "saved_queries", "pipelines", "schedules"],
		onSuccess(check) {
			showToast(`${check.name} is added`);
			onInstalled(check);
		},
	});
	const errors = install.error === null ? {} : findProblem(install.error).fields;
	return (
		<Dialog
			open
			title={`Add this check: ${name}`}
			description="Query, check and schedule are saved as yours under this name."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={install.isPending} onClick={() => install.mutate()}>
						Add
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3.5">
				<WatchProblem error={install.error} />
				<WatchFields watching={watching} set={set} errors={errors} />
			</div>
		</Dialog>
	);
}
