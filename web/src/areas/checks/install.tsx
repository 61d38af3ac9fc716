/** Saves the query and the check of a template as the user's own. */
import type { Check, CheckTemplate } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { useProfile } from "../../platform/profile.ts";
import { chooseTarget, useTarget } from "../../platform/target.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ConnectionsField } from "./connections-field.tsx";

const EVALUATED_ONCE = "The check is evaluated once now, then only when its query runs.";
const NOT_EVALUATED =
	"There is no default controller: choose a connection below to evaluate the check now, else it waits for a run of its query.";

interface InstallProps {
	readonly template: CheckTemplate;
	onInstalled(check: Check): void;
	onClose(): void;
}

export function InstallDialog({ template: { key, name }, onInstalled, onClose }: InstallProps) {
	const [chosen, setChosen] = useState<string[]>([]);
	const target = useTarget();
	const preferred = useProfile()?.preferences.default_controller_connection_id;
	const install = useAction(
		async () => {
			// Without a named connection the service evaluates the check on the default one.
			if (chosen.length === 0 && preferred === null && target !== undefined) await chooseTarget(target.id);
			return callRoute(checkRoutes.install, { params: { key }, body: { controller_connection_ids: chosen } });
		},
		{
			stale: ["checks", "saved_queries", "pipelines"],
			onSuccess(check) {
				showToast(`${check.name} is installed`);
				onInstalled(check);
			},
		},
	);
	const errors = install.error === null ? {} : findProblem(install.error).fields;
	return (
		<Dialog
			open
			title={`Install ${name}`}
			description="Saves the query and the check as yours, both under this name."
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={install.isPending} onClick={() => install.mutate()}>
						Install
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3.5">
				{errors.non_field_errors ? (
					<Banner tone="bad" title={errors.non_field_errors} />
				) : (
					install.error !== null &&
					errors.controller_connection_ids === undefined && <ProblemBanner error={install.error} />
				)}
				<Banner
					tone="warn"
					title="No schedule is made."
					detail={`${target || chosen.length > 0 ? EVALUATED_ONCE : NOT_EVALUATED} Its page makes a schedule with one click.`}
				/>
				<ConnectionsField chosen={chosen} error={errors.controller_connection_ids} onChange={setChosen} />
			</div>
		</Dialog>
	);
}
