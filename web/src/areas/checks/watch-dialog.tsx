/** Adds the interval, the fabrics and the recipients to a check that no schedule runs. */
import type { Check } from "@weft/contracts";
import { checkRoutes } from "@weft/contracts/browser";
import { callRoute, useAction } from "../../platform/call.ts";
import { findProblem } from "../../platform/problem.ts";
import { useProfile, useTimes } from "../../platform/profile.ts";
import { useTarget } from "../../platform/target.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { showToast } from "../../ui/toast.tsx";
import { getDefinition } from "./describe.ts";
import { RecipientsField } from "./recipients-field.tsx";
import { buildSchedule, NEVER, useWatching, WatchFields, WatchProblem } from "./watch-fields.tsx";

interface WatchDialogProps {
	readonly check: Check;
	onClose(): void;
}

export function WatchDialog({ check, onClose }: WatchDialogProps) {
	const { id, saved_query, query_name, can_edit, is_public, created_by } = check;
	const profileId = useProfile()?.id;
	const times = useTimes();
	const target = useTarget();
	const known = listConnectionIds(check, target?.id);
	const { watching, set } = useWatching({ connectionIds: known, notify: check.notify });
	const { often, connectionIds, notify } = watching;
	const save = useAction(
		async () => {
			const schedule = buildSchedule(often, times.zone);
			if (schedule === null) return;
			const recipients = can_edit && notify !== check.notify ? { notify } : {};
			const body = { schedule, controller_connection_ids: [...connectionIds], ...recipients };
			await callRoute(checkRoutes.watch, { params: { id }, body });
		},
		{
			stale: ["checks", "schedules", "pipelines"],
			onSuccess() {
				showToast(`${check.name} is watched`);
				onClose();
			},
		},
	);
	const errors = save.error === null ? {} : findProblem(save.error).fields;
	return (
		<Dialog
			open
			title={`Watch this check: ${check.name}`}
			description={getDefinition(check).join(" ")}
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button variant="primary" busy={save.isPending} disabled={often === NEVER} onClick={() => save.mutate()}>
						Watch
					</Button>
				</>
			}
		>
			<div className="flex flex-col gap-3.5">
				<WatchProblem error={save.error} />
				<p className="m-0">
					The schedule runs the query <strong className="font-medium">{query_name}</strong>.
				</p>
				<WatchFields
					isScheduled
					watching={watching}
					set={set}
					errors={errors}
					recipients={
						can_edit ? (
							<RecipientsField
								notify={notify}
								ownerId={created_by.id}
								isOwn={created_by.id === profileId}
								queryId={saved_query}
								isPublic={is_public}
								errors={errors}
								onChange={(next) => set({ notify: next })}
							/>
						) : (
							<p className="m-0 text-muted">Only the owner of the check chooses whom its alerts reach.</p>
						)
					}
				/>
			</div>
		</Dialog>
	);
}

/** The connections that the check looks at: named, evaluated before, or the default one. */
function listConnectionIds({ controller_connection_ids, states }: Check, fallback: string | undefined): string[] {
	if (controller_connection_ids.length > 0) return controller_connection_ids;
	const known = states.flatMap(({ controller_connection_id: id }) => (id === null ? [] : [id]));
	return known.length > 0 ? known : fallback === undefined ? [] : [fallback];
}
