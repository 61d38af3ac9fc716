/** The frame of the pages before signing in. */
import { type ReactNode, useEffect } from "react";
import { Logo } from "../../../shell/logo.tsx";
import { Toasts } from "../../../ui/toasts.tsx";

export function Frame({ title, children }: { title: string; children: ReactNode }) {
	useEffect(() => {
		document.title = `${title} - Weft`;
	}, [title]);
	return (
		<main className="flex min-h-dvh flex-col items-center px-4 pt-[14vh] pb-10">
			<div className="mb-5 flex items-center gap-2.5">
				<Logo size={28} />
				<span className="font-semibold text-title">Weft</span>
			</div>
			<section className="w-full max-w-90 rounded-dialog border border-line bg-surface p-5">
				<h1 className="m-0 mb-4 font-semibold text-title">{title}</h1>
				{children}
			</section>
			<p className="mt-5 max-w-90 text-center text-muted text-xs">
				Query a fabric's controller, store every result, see what changed.
			</p>
			<Toasts />
		</main>
	);
}
