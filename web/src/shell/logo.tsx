/** The mark: threads over and under. */
export function Logo({ size }: { size: number }) {
	return (
		<svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" className="shrink-0 rounded-control">
			<rect width="32" height="32" className="fill-accent" />
			<g fill="none" stroke="#fff" strokeWidth="3" strokeLinecap="round">
				<path d="M5 11h3M14 11h13M5 21h13M24 21h3M11 5v13M11 24v3M21 5v3M21 14v13" />
			</g>
		</svg>
	);
}
