/** Setting the second factor up: scan, type a code, done. */
import { mfaRoutes } from "@weft/contracts/browser";
import { type FormEvent, useEffect, useRef } from "react";
import { callRoute, useAction } from "../../../platform/call.ts";
import { findProblem } from "../../../platform/problem.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { TextField } from "../../../ui/field.tsx";
import { ProblemBanner, Skeleton } from "../../../ui/page.tsx";

interface EnrolmentProps {
	onDone(codes: readonly string[]): void;
	onClose(): void;
}

export function Enrolment({ onDone, onClose }: EnrolmentProps) {
	const form = useRef<HTMLFormElement>(null);
	const setup = useAction(() => callRoute(mfaRoutes.setup));
	const verify = useAction((code: string) => callRoute(mfaRoutes.verify, { body: { code } }), {
		stale: ["auth"],
		onSuccess: ({ backup_codes }) => onDone(backup_codes),
	});
	const { mutate } = setup;
	const begun = useRef(false);
	useEffect(() => {
		if (begun.current) return;
		begun.current = true;
		mutate();
	}, [mutate]);
	// The field comes after the secret: the focus was on the way out until then.
	useEffect(() => {
		if (setup.data) form.current?.querySelector("input")?.focus();
	}, [setup.data]);
	const fields = verify.error === null ? {} : findProblem(verify.error).fields;
	const submit = (event?: FormEvent) => {
		event?.preventDefault();
		if (form.current?.reportValidity()) verify.mutate(String(new FormData(form.current).get("code")));
	};
	return (
		<Dialog
			open
			title="Set up the second factor"
			onClose={onClose}
			actions={
				<>
					<Button onClick={onClose}>Cancel</Button>
					<Button
						variant="primary"
						busy={verify.isPending}
						disabled={setup.data === undefined}
						onClick={() => submit()}
					>
						Turn on
					</Button>
				</>
			}
		>
			{setup.error !== null ? (
				<ProblemBanner error={setup.error} />
			) : setup.data === undefined ? (
				<Skeleton lines={5} />
			) : (
				<div className="flex flex-col gap-4">
					<ol className="m-0 flex list-decimal flex-col gap-1 pl-5">
						<li>Scan the code with an authenticator app, or enter the secret.</li>
						<li>Enter the code that the app shows.</li>
						<li>Store the backup codes of the next step: they sign you in without the phone.</li>
					</ol>
					<div className="flex flex-wrap items-center gap-4">
						<img
							src={`data:image/svg+xml;utf8,${encodeURIComponent(setup.data.qr_code_svg)}`}
							alt="Code for an authenticator app; the secret beside it says the same"
							width={160}
							height={160}
							className="rounded-control bg-[#fff] p-1"
						/>
						<div className="min-w-0 flex-1 basis-48">
							<span className="font-medium">Secret</span>
							<p className="mono m-0 break-all">{setup.data.secret.replace(/(.{4})(?=.)/g, "$1 ")}</p>
							<CopyButton text={setup.data.secret} label="Copy the secret">
								Copy the secret
							</CopyButton>
							<CopyButton text={setup.data.otpauth_url} label="Copy the address for an app">
								Copy the address
							</CopyButton>
						</div>
					</div>
					<form ref={form} onSubmit={submit} className="flex flex-col gap-3">
						{verify.error !== null && fields.code === undefined && <ProblemBanner error={verify.error} />}
						<TextField
							mono
							label="Code"
							name="code"
							required
							inputMode="numeric"
							autoComplete="one-time-code"
							className="w-40"
							data-autofocus
							error={fields.code}
						/>
						<button type="submit" hidden />
					</form>
				</div>
			)}
		</Dialog>
	);
}
