/** One change window: before, work and after on each fabric, the verdict, and the findings. */
import { getRouteApi } from "@tanstack/react-router";
import type { ChangeWindow } from "@weft/contracts";
import { changeWindowRoutes } from "@weft/contracts/browser";
import { Ellipsis, Pencil } from "lucide-react";
import { useState } from "react";
import { callRoute, useAction } from "../../platform/call.ts";
import { formatPlural } from "../../platform/format.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { IconButton } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { Banner, Loaded, PageHead } from "../../ui/page.tsx";
import { State } from "../../ui/pill.tsx";
import { showProblem, showToast } from "../../ui/toast.tsx";
import { WindowEvents } from "./events.tsx";
import { EvidencePanel } from "./evidence.tsx";
import { ExpectationsPanel } from "./expectations.tsx";
import { FindingsPanel } from "./findings.tsx";
import { useLiveWindow } from "./live.ts";
import { ReportMenu } from "./report-menu.tsx";
import { WindowSteps } from "./steps.tsx";
import { WindowColumns } from "./window-columns.tsx";
import { WindowForm } from "./window-form.tsx";
import { formatReason, STATE_LOOKS, VERDICT_LOOKS } from "./words.ts";

const route = getRouteApi("/app/change-windows/$id");

export function WindowPage() {
	const { id } = route.useParams();
	const answer = useLiveWindow(id);
	return (
		<Loaded answer={answer} lines={8}>
			{(window) => <WindowView window={window} />}
		</Loaded>
	);
}

function WindowView({ window }: { window: ChangeWindow }) {
	const [isEditing, setEditing] = useState(false);
	const { title, state, ticket, plan_name, plan_revision, created_by } = window;
	return (
		<>
			<PageHead
				title={title}
				crumbs={[{ label: "Change windows", to: "/change-windows" }]}
				facts={
					<>
						<State looks={STATE_LOOKS} status={state} />
						{ticket !== null &&
							(ticket.url === "" ? (
								<span>{ticket.number}</span>
							) : (
								<OutsideLink href={ticket.url}>{ticket.number}</OutsideLink>
							))}
						<span>
							{plan_name}, revision {plan_revision}
						</span>
						{created_by !== null && <span>by {created_by.username}</span>}
					</>
				}
				actions={
					<>
						<ReportMenu window={window} />
						<MoreMenu window={window} onEdit={() => setEditing(true)} />
						<WindowSteps window={window} />
					</>
				}
			/>
			<div className="flex flex-col gap-4 px-5 pb-5 max-sm:px-4">
				<VerdictBanner window={window} />
				<GateBanner window={window} />
				<WindowColumns window={window} />
				{window.verdict !== null && <FindingsPanel window={window} />}
				<ExpectationsPanel window={window} />
				<EvidencePanel window={window} />
				<WindowEvents id={window.id} updatedAt={window.updated_at} />
			</div>
			{isEditing && <WindowForm window={window} onSaved={() => setEditing(false)} onClose={() => setEditing(false)} />}
		</>
	);
}

const TONES = { failed: "bad", inconclusive: "warn", passed_with_warnings: "warn", passed: "ok" } as const;

function VerdictBanner({ window }: { window: ChangeWindow }) {
	const { verdict, verdict_line, verdict_reasons, changed, hidden_count } = window;
	if (verdict === null) return null;
	const accepted = verdict_line.split("; ").slice(1).join("; ");
	const parts = [
		verdict_reasons.map(formatReason).join(", "),
		accepted,
		changed === false ? "nothing changed" : "",
		hidden_count > 0 ? `${formatPlural(hidden_count, "fabric is", "fabrics are")} hidden from you` : "",
	];
	const detail = parts.filter((part) => part !== "").join("; ");
	return (
		<Banner
			tone={TONES[verdict]}
			title={`${VERDICT_LOOKS[verdict][0]}.`}
			detail={detail === "" ? "" : `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`}
		/>
	);
}

function GateBanner({ window }: { window: ChangeWindow }) {
	const { gate, override, state, connections, plan_items } = window;
	if (gate === null || gate.reasons.length === 0) return null;
	const names = new Map(connections.map(({ connection_id, name }) => [connection_id, name]));
	return (
		<Banner
			tone={state === "blocked" ? "bad" : "warn"}
			title={
				override === null
					? state === "blocked"
						? "The work may not begin."
						: "The state before the work was not as it should be."
					: `${override.by} opened the window despite the gate: ${override.reason}`
			}
			detail={
				<ul className="m-0 list-none p-0">
					{gate.reasons.slice(0, 10).map(({ kind, item, connection_id, detail }) => (
						<li key={`${kind} ${item} ${connection_id}`}>
							{[
								connection_id === null ? "" : (names.get(connection_id) ?? ""),
								item === null ? "" : String(plan_items[item]?.name ?? ""),
							]
								.filter((text) => text !== "")
								.join(", ")}
							: {detail}
						</li>
					))}
				</ul>
			}
		/>
	);
}

const ENDS = {
	cancel: {
		verb: "Cancel the window",
		detail: "The window gets no verdict, and its held alerts are sent. Its snapshots and findings are kept.",
	},
	remove: { verb: "Delete the window", detail: "Its expectations and its history are deleted with it." },
} as const;

function MoreMenu({ window, onEdit }: { window: ChangeWindow; onEdit(): void }) {
	const may = useMay();
	const times = useTimes();
	const navigate = route.useNavigate();
	const [asked, setAsked] = useState<keyof typeof ENDS | null>(null);
	const { id, can_edit, can_cancel, can_recheck, state } = window;
	const stale = ["change_windows"];
	const recheck = useAction(() => callRoute(changeWindowRoutes.recheck, { params: { id } }), {
		stale,
		onError: (error) => showProblem(error, window.title),
	});
	const cancel = useAction(() => callRoute(changeWindowRoutes.cancel, { params: { id } }), { stale });
	const remove = useAction(() => callRoute(changeWindowRoutes.remove, { params: { id } }), {
		stale,
		onSuccess: () => {
			showToast(`${window.title} of ${times.dateTime(window.created_at)} is deleted.`);
			void navigate({ to: "/change-windows" });
		},
	});
	const canRemove = ["draft", "cancelled", "expired"].includes(state) && may("delete_changewindow");
	const groups = [
		can_edit ? [{ label: "Edit", icon: Pencil, run: onEdit }] : [],
		can_recheck ? [{ label: "Check again after the work", run: () => recheck.mutate() }] : [],
		[
			...(can_cancel ? [{ label: ENDS.cancel.verb, danger: true, run: () => setAsked("cancel") }] : []),
			...(canRemove ? [{ label: ENDS.remove.verb, danger: true, run: () => setAsked("remove") }] : []),
		],
	].filter((group) => group.length > 0);
	if (groups.length === 0) return null;
	return (
		<>
			<Menu trigger={<IconButton icon={Ellipsis} label={`More for ${window.title}`} />} groups={groups} />
			{asked !== null && (
				<Confirm
					open
					title={`${asked === "cancel" ? "Cancel" : "Delete"} ${window.title}?`}
					verb={ENDS[asked].verb}
					onConfirm={async () => void (await (asked === "cancel" ? cancel : remove).mutateAsync())}
					onClose={() => setAsked(null)}
				>
					<p className="m-0">{ENDS[asked].detail}</p>
				</Confirm>
			)}
		</>
	);
}
