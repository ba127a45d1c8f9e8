import React, { useState } from 'react';
import Shardwise from 'shardwise/react';
import useDocusaurusContext from '@docusaurus/useDocusaurusContext';

// An embed whose answer the page around it uses.
export default function Calculator() {
  const { siteConfig } = useDocusaurusContext();
  const [answer, setAnswer] = useState(null);
  return (
    <>
      <Shardwise site={siteConfig.customFields.shardwise} model="qwen3-8b" gpu="h200-sxm" gpus={16} workload="grpo" title="GRPO on two nodes" onAnswer={setAnswer}>
        <p>It fits on two nodes with room to spare.</p>
      </Shardwise>
      {answer && <p id="said">{answer.fits ? `${Math.round(answer.tokens_per_s_per_gpu)} tokens per second and GPU` : 'It does not fit.'}</p>}
    </>
  );
}
