/** The newest invitations that were not accepted; nothing where there is none. */
import type { Invitation, IssuedInvitation } from "@weft/contracts";
import { invitationRoutes } from "@weft/contracts/browser";
import { useState } from "react";
import { callRoute, useAction, useAnswer } from "../../../platform/call.ts";
import { showGroupName } from "../../../platform/group-names.ts";
import { needsRecentSignIn } from "../../../platform/problem.ts";
import { useTimes } from "../../../platform/profile.ts";
import { Button } from "../../../ui/button.tsx";
import { ConfirmSignIn } from "../../../ui/confirm-sign-in.tsx";
import { Panel, ProblemBanner } from "../../../ui/page.tsx";
import { Pill } from "../../../ui/pill.tsx";
import { type Column, Table } from "../../../ui/table.tsx";
import { showToast } from "../../../ui/toast.tsx";
import { IssuedLinks } from "./issued-links.tsx";

const MAIL: Readonly<Record<Invitation["mail"], string>> = {
	none: "Link shown, not mailed",
	waiting: "Mail waits",
	sent: "Mailed",
};

export function OpenInvitations() {
	const times = useTimes();
	const [renewed, setRenewed] = useState<IssuedInvitation | null>(null);
	const { data } = useAnswer(invitationRoutes.list, { query: { page_size: "100" } });
	const withdraw = useAction(
		({ id }: Invitation) => callRoute(invitationRoutes.withdraw, { params: { id: String(id) } }),
		{
			stale: ["users"],
			onSuccess: (_answer, { username }) => showToast(`The invitation of ${username} is withdrawn`),
		},
	);
	const renew = useAction(({ id }: Invitation) => callRoute(invitationRoutes.renew, { params: { id: String(id) } }), {
		stale: ["users"],
		onSuccess: setRenewed,
	});
	if (data === undefined || data.count === 0) return null;
	const isStale = needsRecentSignIn(renew.error);
	const columns: Column<Invitation>[] = [
		{ key: "name", head: "User", cell: ({ username }) => username },
		{ key: "role", head: "Role", cell: ({ group_names }) => group_names.map(showGroupName).join(", ") || "-" },
		{ key: "by", head: "Invited by", cell: ({ invited_by }) => invited_by ?? "-" },
		{ key: "mail", head: "Link", cell: ({ mail }) => MAIL[mail] },
		{
			key: "end",
			head: "Valid until",
			cell: ({ expires_at, state }) =>
				state === "expired" ? <Pill tone="warn">Expired</Pill> : times.dateTime(expires_at),
		},
		{
			key: "verbs",
			head: "",
			align: "right",
			cell: (row) => (
				<span className="flex justify-end gap-2">
					<Button busy={renew.isPending && renew.variables === row} onClick={() => renew.mutate(row)}>
						New link
					</Button>
					<Button busy={withdraw.isPending && withdraw.variables === row} onClick={() => withdraw.mutate(row)}>
						Withdraw
					</Button>
				</span>
			),
		},
	];
	return (
		<Panel title="Open invitations" className="mb-4">
			{withdraw.error !== null && <ProblemBanner error={withdraw.error} />}
			{isStale && <ConfirmSignIn onConfirmed={() => renew.variables && renew.mutate(renew.variables)} />}
			{renew.error !== null && !isStale && <ProblemBanner error={renew.error} />}
			<Table label="Open invitations" rows={data.results} getKey={({ id }) => String(id)} columns={columns} />
			{renewed !== null && <IssuedLinks invitations={[renewed]} onDone={() => setRenewed(null)} />}
		</Panel>
	);
}
