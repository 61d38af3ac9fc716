/** Freezes and maintenance where they have an effect: refused launches and held alerts. */
import { Link } from "@tanstack/react-router";
import type { FreezeRef, HoldRef } from "@weft/contracts";
import { WeftError } from "@weft/sdk";
import { useState } from "react";
import { useMay, useTimes } from "../../platform/profile.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField } from "../../ui/field.tsx";
import { CancelButton } from "../../ui/form.tsx";
import { Banner, ProblemBanner } from "../../ui/page.tsx";

/** The freeze that refused a call; null: another failure. */
export function findFreeze(error: unknown): FreezeRef | null {
	if (!(error instanceof WeftError) || error.status !== 409) return null;
	const { freeze } = error.body as { freeze?: FreezeRef };
	return freeze ?? null;
}

/** An entry of the calendar as a link. */
const EntryLink = ({ entry }: { entry: FreezeRef | HoldRef }) => (
	<Link to="/calendar" search={{ edit: entry.id }} className="rounded-cell underline">
		{entry.title}
	</Link>
);

/** The maintenance that holds alerts, above a check or a schedule. */
export function HeldBanner({ held }: { held: HoldRef | null }) {
	const times = useTimes();
	if (held === null) return null;
	return (
		<Banner
			tone="info"
			title="Alerts are held."
			detail={
				<>
					<EntryLink entry={held} /> is on until {times.dateTime(held.ends_at)}. States are recorded.
				</>
			}
		/>
	);
}

/** The freeze that kept a scheduled launch back. */
export function HeldLaunchBanner({ freeze }: { freeze: FreezeRef }) {
	const times = useTimes();
	return (
		<Banner
			tone="warn"
			title="Not launched on schedule."
			detail={
				<>
					<EntryLink entry={freeze} /> refused changes until {times.dateTime(freeze.ends_at)}. Launch the request then,
					or schedule it anew.
				</>
			}
		/>
	);
}

interface FreezeDialogProps {
	readonly freeze: FreezeRef;
	/** Carries out the refused launch. */
	onOverride(reason: string): Promise<unknown>;
	onClose(): void;
}

/** Says which freeze refused a launch; who may override it gives a reason. */
export function FreezeDialog({ freeze, onOverride, onClose }: FreezeDialogProps) {
	const times = useTimes();
	const canOverride = useMay()("override_freeze");
	const [reason, setReason] = useState("");
	const [busy, setBusy] = useState(false);
	const [error, setError] = useState<unknown>(null);
	const override = async () => {
		setBusy(true);
		setError(null);
		try {
			await onOverride(reason.trim());
			onClose();
		} catch (failure) {
			setError(failure);
		} finally {
			setBusy(false);
		}
	};
	return (
		<Dialog
			open
			title="A freeze is on"
			onClose={onClose}
			actions={
				<>
					<CancelButton onClose={onClose} />
					{canOverride && (
						<Button variant="danger" busy={busy} disabled={reason.trim() === ""} onClick={() => void override()}>
							Launch all the same
						</Button>
					)}
				</>
			}
		>
			<div className="flex flex-col gap-3">
				<p className="m-0">
					<EntryLink entry={freeze} /> refuses changes until {times.dateTime(freeze.ends_at)}. Nothing was launched.
				</p>
				{error !== null && <ProblemBanner error={error} />}
				{canOverride ? (
					<AreaField
						label="Reason for the exception"
						value={reason}
						maxLength={2000}
						hint="It goes into the audit log and the history of the request."
						onChange={({ target }) => setReason(target.value)}
					/>
				) : (
					<p className="m-0 text-muted">Wait for its end, or ask a person with the permission override_freeze.</p>
				)}
			</div>
		</Dialog>
	);
}
