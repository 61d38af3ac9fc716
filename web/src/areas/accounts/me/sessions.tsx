/** The sessions of the user that are open, and their end. */
import { authRoutes } from "@weft/contracts/browser";
import { LogOut, MonitorSmartphone } from "lucide-react";
import { useEffect, useState } from "react";
import { type AnswerOf, callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { formatPlural } from "../../../platform/format.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { Confirm } from "../../../ui/dialog.tsx";
import { CheckField } from "../../../ui/field.tsx";
import { Loaded, Panel } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { showProblem, showToast } from "../../../ui/toast.tsx";

type Session = AnswerOf<typeof authRoutes.sessions>[number];

interface SessionsProps {
	/** Whether to ask at once if the other sessions shall end. Nothing is asked without others. */
	readonly offersEnd: boolean;
	/** Called when the question was answered. */
	onOffered(): void;
}

export function Sessions({ offersEnd, onOffered }: SessionsProps) {
	const times = useTimes();
	const answer = useAnswer(authRoutes.sessions);
	const end = useAction((id: string) => callRoute(authRoutes.revokeSession, { params: { id } }), {
		stale: ["auth"],
		onSuccess: () => showToast("The session has ended"),
		onError: (error) => showProblem(error),
	});
	const columns: Column<Session>[] = [
		{
			key: "device",
			head: "Where",
			className: "w-1/2",
			cell: ({ user_agent, is_current }) => (
				<span className="flex items-center gap-2">
					<MonitorSmartphone size={14} className="shrink-0 text-muted" aria-hidden="true" />
					<span className="truncate" title={user_agent}>
						{getDevice(user_agent)}
					</span>
					{is_current && <Pill tone="accent">This one</Pill>}
				</span>
			),
		},
		{ key: "ip", head: "Address", cell: ({ ip_address }) => <span className="mono">{ip_address ?? "unknown"}</span> },
		{
			key: "seen",
			head: "Last used",
			cell: ({ last_seen_at }) => <span title={times.dateTime(last_seen_at)}>{times.relative(last_seen_at)}</span>,
		},
		{
			key: "end",
			head: <span className="sr-only">Verbs</span>,
			align: "right",
			cell: ({ id, is_current }) =>
				!is_current && (
					<Button busy={end.isPending && end.variables === id} onClick={() => end.mutate(id)}>
						End
					</Button>
				),
		},
	];
	const hasOthers = answer.data?.some(({ is_current }) => !is_current) ?? false;
	const isNeedless = offersEnd && answer.isSuccess && !answer.isFetching && !hasOthers;
	useEffect(() => {
		// A session that begins later is not from before the change.
		if (isNeedless) onOffered();
	}, [isNeedless, onOffered]);
	return (
		<Panel
			title="Open sessions"
			aside={<EndOthers isOffered={offersEnd && hasOthers} onEnded={() => void answer.refetch()} onClose={onOffered} />}
		>
			<Loaded answer={answer} lines={3}>
				{(sessions) => <Table label="Open sessions" columns={columns} rows={sessions} getKey={({ id }) => id} />}
			</Loaded>
		</Panel>
	);
}

interface EndOthersProps {
	readonly isOffered: boolean;
	onEnded(): void;
	onClose(): void;
}

function EndOthers({ isOffered, onEnded, onClose }: EndOthersProps) {
	const [open, setOpen] = useState(false);
	const [endsTokens, setEndsTokens] = useState(true);
	return (
		<>
			<Button icon={LogOut} onClick={() => setOpen(true)}>
				End all others
			</Button>
			<Confirm
				open={open || isOffered}
				title="End all other sessions?"
				verb="End them"
				onConfirm={async () => {
					const ended = await callRoute(authRoutes.revokeOthers, { query: {}, body: { revoke_tokens: endsTokens } });
					if (ended)
						showToast(
							`${formatPlural(ended.sessions_ended, "session")} and ${formatPlural(ended.tokens_revoked, "API token")} ended`,
						);
					onEnded();
				}}
				onClose={() => {
					setOpen(false);
					onClose();
				}}
			>
				<p className="m-0">
					{isOffered && "Your second factor has changed. Sessions that were open before go on unless you end them. "}
					You stay signed in here.
				</p>
				<CheckField
					label="End my API tokens too"
					hint="Programs that use them stop working."
					checked={endsTokens}
					onChange={(event) => setEndsTokens(event.target.checked)}
				/>
			</Confirm>
		</>
	);
}

/** "Firefox on Linux" from a user agent, or its first word. */
function getDevice(agent: string): string {
	const browser = /(Edg|OPR|Firefox|Chrome|Safari)[/ ]/.exec(agent)?.[1];
	const system = /(Windows|Macintosh|Android|iPhone|iPad|Linux)/.exec(agent)?.[1];
	const name = { Edg: "Edge", OPR: "Opera", Macintosh: "macOS" }[browser ?? ""] ?? browser;
	if (name && system) return `${name} on ${system === "Macintosh" ? "macOS" : system}`;
	return agent.split(/[\s/]/)[0] || "unknown";
}
