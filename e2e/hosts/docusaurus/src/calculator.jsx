import React, { useEffect, useRef, useState } from 'react';

// An embed whose answer the page around it uses. React hears no event of an element that it found in the page, so the
// listener is added by hand; `listen` asks for events even where embed.js comes after it.
export default function Calculator() {
  const element = useRef(null);
  const [answer, setAnswer] = useState(null);
  useEffect(() => {
    const own = element.current;
    const hear = (event) => setAnswer(event.detail);
    own.addEventListener('answer', hear);
    return () => own.removeEventListener('answer', hear);
  }, []);
  return (
    <>
      <shardwise-calculator ref={element} listen="" model="qwen3-8b" gpu="h200-sxm" gpus="16" workload="grpo" title="GRPO on two nodes" />
      {answer && <p id="said">{answer.fits ? `${Math.round(answer.tokens_per_s_per_gpu)} tokens per second and GPU` : 'It does not fit.'}</p>}
    </>
  );
}
