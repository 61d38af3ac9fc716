/** Effects of freezes and holds on other pages: refused launches and held alerts. */
import { Link } from "@tanstack/react-router";
import type { FreezeRef, HoldRef } from "@weft/contracts";
import { CALENDAR_LIMITS } from "@weft/contracts/browser";
import { WeftError } from "@weft/sdk";
import { type ReactNode, useState } from "react";
import { useAction } from "../../platform/call.ts";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField } from "../../ui/field.tsx";
import { CancelButton } from "../../ui/form.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";
import { showProblem } from "../../ui/toast.tsx";

/** Returns the freeze that refused a call; null for another failure. */
function findFreeze(error: unknown): FreezeRef | null {
	if (!(error instanceof WeftError) || error.status !== 409) return null;
	const { freeze } = error.body as { freeze?: FreezeRef };
	return freeze ?? null;
}

const LINK = "rounded-cell underline";

const EntryLink = ({ entry }: { entry: Pick<FreezeRef, "id" | "title"> }) => (
	<Link to="/calendar" search={{ edit: entry.id }} className={LINK}>
		{entry.title}
	</Link>
);

const HoldLink = ({ hold }: { hold: HoldRef }) =>
	hold.kind === "maintenance" ? (
		<EntryLink entry={hold} />
	) : (
		<Link to="/change-windows/$id" params={{ id: hold.id }} className={LINK}>
			{hold.title}
		</Link>
	);

/** Names the hold of alerts above a check or a schedule. */
export function HeldBanner({ held }: { held: HoldRef | null }) {
	const times = useTimes();
	if (held === null) return null;
	return (
		<Banner
			tone="info"
			title="Alerts are held."
			detail={
				<>
					<HoldLink hold={held} /> is on until {times.dateTime(held.ends_at)}. States are recorded.
				</>
			}
		/>
	);
}

/** Names the freeze that holds a scheduled launch. */
export function HeldLaunchBanner({ freeze }: { freeze: FreezeRef }) {
	const times = useTimes();
	return (
		<Banner
			tone="warn"
			title="Not launched on schedule."
			detail={
				<>
					<EntryLink entry={freeze} /> refused changes until {times.dateTime(freeze.ends_at)}. Launch the request then,
					or reschedule it.
				</>
			}
		/>
	);
}

interface FreezeDialogProps {
	readonly freeze: FreezeRef;
	/** Carries out the refused action. */
	onOverride(reason: string): Promise<unknown>;
	onClose(): void;
}

/** Names the freeze that refused an action. Users who may override it can give a reason. */
function FreezeDialog({ freeze, onOverride, onClose }: FreezeDialogProps) {
	const times = useTimes();
	const canOverride = useMay()("override_freeze");
	const [reason, setReason] = useState("");
	const override = useAction(() => onOverride(reason.trim()), { onSuccess: onClose });
	return (
		<Dialog
			open
			title="A freeze is on"
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					{canOverride && (
						<Button
							variant="danger"
							busy={override.isPending}
							disabled={reason.trim() === ""}
							onClick={() => override.mutate(undefined)}
						>
							Start during the freeze
						</Button>
					)}
				</>
			}
		>
			<div className="flex flex-col gap-3">
				<p className="m-0">
					<EntryLink entry={freeze} /> refuses changes until {times.dateTime(freeze.ends_at)}. Nothing was started.
				</p>
				{override.error !== null && <ProblemBanner error={override.error} />}
				{canOverride ? (
					<AreaField
						label="Reason for the exception"
						value={reason}
						maxLength={CALENDAR_LIMITS.reason}
						hint="The audit log and the history of the request or change window show it."
						onChange={({ target }) => setReason(target.value)}
					/>
				) : (
					<p className="m-0 text-muted">Wait for its end, or ask a person with the permission override_freeze.</p>
				)}
			</div>
		</Dialog>
	);
}

/** Body of a launch, and of the start of a change window. */
export const buildLaunchBody = (override: string | undefined) =>
	override === undefined ? {} : { override_freeze: { reason: override } };

interface FreezeOverride<Verb> {
	/** Calls `act`. If a freeze refuses the call, opens `dialog` instead of throwing. */
	run(verb: Verb): Promise<void>;
	readonly dialog: ReactNode;
}

/**
 * Lets users override a freeze that refuses an action.
 * @param act carries out the action; with a reason it overrides a freeze
 */
export function useFreezeOverride<Verb>(
	act: (verb: Verb, override?: string) => Promise<unknown>,
): FreezeOverride<Verb> {
	const [refused, setRefused] = useState<{ readonly verb: Verb; readonly freeze: FreezeRef } | null>(null);
	return {
		async run(verb) {
			try {
				await act(verb);
			} catch (error) {
				const freeze = findFreeze(error);
				if (freeze === null) throw error;
				setRefused({ verb, freeze });
			}
		},
		dialog: refused !== null && (
			<FreezeDialog
				freeze={refused.freeze}
				onOverride={(reason) => act(refused.verb, reason)}
				onClose={() => setRefused(null)}
			/>
		),
	};
}

/** Shows the failure of a launch, unless a freeze refused it: then `FreezeDialog` is shown. */
export function showLaunchProblem(error: unknown): void {
	if (findFreeze(error) === null) showProblem(error);
}
